# SPDX-License-Identifier: BSD-2-Clause
"""head.py SYSCAP - the first lines of `syscap stat`, and its processes, state
what a capture of two processes contains."""
import os
import struct
import subprocess
import sys
import tempfile

BEGIN = 10 ** 9
MAPS = {0x1000: "/opt/app", 0x3000: "/opt/lib/libsyscap-memory.so",
        0x5000: "/usr/lib/libc.so.6", 0x7000: "/usr/lib/libz.so"}
APP, OWN, LIBC, LIBZ = (start + 0x10 for start in MAPS)
RENDER = 0xE000000000000001  # a JIT's function
NO_TICK = RENDER + 1


def frame(kind, pid, time, tag, body):
    length = (24 + len(body) + 7) // 8 * 8
    head = struct.pack("<HhiqBxxxI", length, 1, pid, BEGIN + time, kind, tag)
    return (head + body).ljust(length, b"\0")


def process(pid, command):
    out = frame(4, pid, 0, 0, command.encode() + b"\0")
    for start, path in MAPS.items():
        out += frame(3, pid, 0, 0, struct.pack(
            "<QQQQ", start, start + 0x1000, 0, 0) + path.encode() + b"\0")
    return out


def sample(pid, tid, ticks, *addresses):
    return frame(2, pid, 2000000, 0x5D000000 | ticks, struct.pack(
        "<HHi%dQ" % len(addresses), len(addresses), 0, tid, *addresses))


def jitmap():
    names = {RENDER: b"render", NO_TICK: b"no tick came"}
    return frame(7, 1, 0, 0, struct.pack("<I", len(names)) + b"".join(
        struct.pack("<Q", address) + name + b"\0"
        for address, name in names.items()))


def head(*frames):
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "x.syscap")
        with open(path, "wb") as file:
            file.write(struct.pack("<IBBxx64sqqQ160x", 0xFDCA975E, 1, 1,
                                   b"2026", BEGIN, BEGIN + 2000000, 0))
            file.write(b"".join(frames))
        lines = subprocess.run(
            [sys.argv[1], "stat", "--no-lookup", path], check=True,
            stdout=subprocess.PIPE).stdout.decode().replace(
                work + "/", "").splitlines()
    return lines


def expect(lines, *expected):
    for line in expected:
        assert line in lines, (line, "\n".join(lines))


def main():
    files = [process(1, "app"), process(2, "other"), jitmap()]
    lines = head(*files, sample(1, 1, 1, LIBC, APP),
                 sample(1, 3, 3, LIBC, OWN, APP), sample(2, 2, 5, LIBZ, APP),
                 sample(1, 1, 1, APP), sample(1, 1, 6, OWN, APP),
                 sample(1, 1, 4, NO_TICK))
    expect(lines,
           "x.syscap: 30.0 % of the ticks was syscap itself "
           "(left out; --with-recording keeps it)",
           "  time       2.000 ms",
           "  hottest    libz.so+0x10 (libz.so) 35.7 %; in the program's own "
           "code app+0x10 (app) 7.1 %",
           "  no names   for 71.4 %: 35.7 % in libz.so; install its debug "
           "symbols, then syscap symbolize x.syscap",
           "  lost       nothing",
           "  samples    6, for 20 requested")
    # The busiest process and thread come first.
    at = lines.index("Processes")
    assert [line.split()[:4] for line in lines[at + 2:at + 4]] == [
        ["1", "9", "2", "1:"], ["2", "5", "1", "2"]], lines[at:]
    assert "1: 6 3: 3" in lines[at + 2], lines[at + 2]
    # Everything has a name.
    lines = head(*files, sample(1, 1, 1, RENDER))
    expect(lines, "x.syscap", "  hottest    render 100.0 %")
    assert not any("no names" in line for line in lines), lines
    assert "  samples    1" in lines, lines
    # Nothing was sampled.
    lines = head(*files)
    expect(lines, "x.syscap", "  lost       nothing")
    assert not any("hottest" in line for line in lines), lines


main()
