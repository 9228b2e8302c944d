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
NOWHERE = 0x7f0000001010
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


def counters(*of):
    """of: category, name, type, and values by time in s."""
    out = frame(8, 1, 0, 0, struct.pack("<HHI", len(of), 0, 0) + b"".join(
        struct.pack("<32s32s52sI8x", category, name, b"", number + 1 |
                    kind << 24)
        for number, (category, name, kind, _) in enumerate(of)))
    for number, (_, _, kind, values) in enumerate(of):
        for time, value in values:
            out += frame(9, 1, time * 10 ** 9, 0, struct.pack(
                "<HHI8I" + ("d" if kind else "q") + "56x", 1, 0, 0,
                number + 1, *[0] * 7, value))
    return out


def allocation(time, address, size):
    return frame(14, 1, time, 0, struct.pack("<QqiHHQ", address, size, 1, 1, 0,
                                             APP))


def show(command, *frames):
    """The lines that @command shows of a capture, which replaces "FILE"."""
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "x.syscap")
        with open(path, "wb") as file:
            file.write(struct.pack("<IBBxx64sqqQ160x", 0xFDCA975E, 1, 1,
                                   b"2026", BEGIN, BEGIN + 2000000, 0))
            file.write(b"".join(frames))
        return subprocess.run(
            [sys.argv[1], *(path if word == "FILE" else word
                            for word in command)], check=True,
            stdout=subprocess.PIPE).stdout.decode().replace(
                work + "/", "").splitlines()


def head(*frames, filters=()):
    return show(["stat", "--no-lookup", *filters, "FILE"], *frames)


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
           "  samples    6 for 20 ticks, so each counts for 3.3 on average")
    # The busiest process and thread come first.
    at = lines.index("Processes in the capture")
    assert [line.split()[:4] for line in lines[at + 2:at + 4]] == [
        ["1", "9", "2", "1:"], ["2", "5", "1", "2"]], lines[at:]
    assert "1: 6 3: 3" in lines[at + 2], lines[at + 2]
    # Only a rate can be requested.
    lines = head(*files, frame(11, -1, 0, 0, b"syscap.sample".ljust(
        40, b"\0") + b"1000,cpu\0"), sample(1, 1, 3, RENDER),
                 sample(1, 1, 5, RENDER))
    expect(lines, "  samples    2 instead of 8 requested, so each counts for "
           "4.0 on average")
    # No package has the names of code that is in no file.
    lines = head(*files, frame(3, 1, 0, 0, struct.pack(
        "<QQQQ", 0x9000, 0xa000, 0, 0) + b"[vdso]\0"),
        sample(1, 1, 3, 0x9010, APP))
    expect(lines, "  no names   for 100.0 %: in [vdso], which is not a file: "
           "only a finished recording has its names")
    # The share without a stack is that of the table: of the time that the
    # table shows, without syscap's own.
    lines = head(*files, sample(1, 1, 3, RENDER), sample(1, 1, 1),
                 sample(1, 1, 6, OWN, APP))
    expect(lines, "  samples    3 for 10 ticks, so each counts for 3.3 on "
           "average, 25.0 % of the time without a stack")
    assert any(line.split() == ["1", "25.0", "%", "1", "25.0", "%", "[no",
                                "stack]", "-"] for line in lines), lines
    # Bytes are scaled.
    lines = head(*files, *(frame(14, 1, i, 0, struct.pack(
        "<QqiHHQ", 0x1000 + i, 1 << 20, 1, 1, 0, RENDER)) for i in range(3)),
                 filters=["--of=allocated"])
    expect(lines, "Hot functions: 3.0 MiB allocated",
           "  allocated  3 times, 3.0 MiB; at most 3.0 MiB at +0.000000 s")
    assert any(line.split() == ["3.0", "MiB", "100.0", "%", "3.0", "MiB",
                                "100.0", "%", "render", "-"]
               for line in lines), lines
    # A random selection of the allocations
    for value, size in ((b"all", None), (b"all,mmap", None), (b"mmap", None),
                        (b"1", None), (b"1000", "1000 bytes"),
                        (b"64K,mmap", "64.0 KiB"), (b"1024M", "1.0 GiB")):
        lines = head(*files, frame(11, -1, 0, 0, b"syscap.memory".ljust(
            40, b"\0") + value + b"\0"), frame(14, 1, 0, 0, struct.pack(
                "<QqiHHQ", 0x1000, 1 << 20, 1, 1, 0, RENDER)))
        assert [line for line in lines if line.startswith("  sampled  ")] == [
            "  sampled    one allocation per %s: bytes are estimates, times "
            "count sampled allocations" % size] * (
                size is not None), (value, lines)
    # All functions have names.
    lines = head(*files, sample(1, 1, 1, RENDER))
    expect(lines, "x.syscap", "  hottest    render 100.0 %")
    assert not any("no names" in line for line in lines), lines
    assert "  samples    1" in lines, lines
    # Unnamed code outside of all files does not belong to the program.
    lines = head(*files, sample(1, 1, 2, LIBC, APP), sample(1, 1, 1, NOWHERE))
    expect(lines, "  hottest    libc.so.6+0x10 (libc.so.6) 66.7 %")
    # Integers that only grow have a rate, bytes are readable, and counters
    # that change come first.  The order of the file is not that of time.
    lines = head(*files, counters(
        (b"app", b"a constant", 0, [(0, 5), (1, 5)]),
        (b"app", b"bytes", 0, [(0, 0), (2, 4096), (1, 100)]),
        (b"app", b"falls", 0, [(0, 0), (1, 9), (2, 7), (3, 12)]),
        (b"app", b"falls late", 0, [(0, 0), (2, 7), (1, 9)]),
        (b"app", b"files", 0, [(0, 10), (1, 20), (2, 50)]),
        (b"app", b"load", 1, [(0, 1.0), (1, 2.0), (2, 3.0)]),
        (b"Memory", b"Used", 1, [(0, 3072.0), (1, 4096.0), (2, 5120.0)])))
    at = lines.index("Counters")
    rows = [[cell.strip() for cell in line.split("  ") if cell.strip()]
            for line in lines[at + 2:at + 9]]
    assert [(row[1], row[-1]) for row in rows] == [
        ("Used", "-"), ("bytes", "2.0 KiB/s"), ("falls", "-"),
        ("falls late", "-"), ("files", "20/s"), ("load", "-"),
        ("a constant", "-")], rows
    assert rows[0][-4:-1] == ["5.0 KiB", "3.0 KiB", "5.0 KiB"], rows
    assert rows[1][-4:-1] == ["4.0 KiB", "0 bytes", "4.0 KiB"], rows
    # diff and view scale these bytes, too.
    used = (b"Memory", b"Used", 1, [(0, 3072.0), (1, 4096.0), (2, 5120.0)])
    for command, size in ((["diff", "--all", "FILE", "FILE"], "5.0 KiB"),
                          (["view", "--snapshot", "counters", "FILE"],
                           "5.00 KiB")):
        lines = show(command, *files, counters(used))
        assert any("Used" in line and size in line for line in lines), lines
    # The longest write of a process that recorded itself, if it was slow.
    def cost(pid, ns):
        value = b"writes=7 total_ns=9000000 worst_ns=%d worst_tid=5" % ns
        return frame(11, pid, 0, 0, b"syscap.spill".ljust(40, b"\0") + value +
                     b"\0")
    lines = head(*files, cost(1, 1000000))
    assert not any("slow write" in line for line in lines), lines
    lines = head(*files, cost(1, 1000001), cost(2, 31200000), cost(1, 99))
    expect(lines, "  slow write one write of the recording took 31.200 ms, "
           "in thread 5 of process 2")
    # Numbers that ignore a filter have a label.
    frames = [*files, sample(1, 1, 1, APP), sample(1, 1, 2, LIBC, APP),
              allocation(0, 64, 100), allocation(2000000, 128, 50),
              cost(1, 31200000)]
    whole = " (whole capture)"
    for filters, time in ((("--from=500us", "--to=1ms"),
                           "500.000 µs of 2.000 ms"),
                          (("--from=1ms",), "1.000 ms of 2.000 ms"),
                          (("--from=5s",), "0 ns of 2.000 ms"),
                          (("--to=1500us",), "1.500 ms of 2.000 ms"),
                          (("--pid=1",), "2.000 ms"),
                          (("--function=libc",), "2.000 ms")):
        lines = head(*frames, filters=filters)
        expect(lines, "  time       " + time + whole)
        for label in "lost", "slow write", "recorded", "samples", "allocated", \
                "leaked":
            line, = [line for line in lines
                     if line.startswith("  %-10s " % label)]
            assert line.endswith(whole), line
    for filters in (), ("--with-recording",), ("--reverse",):
        lines = head(*frames, filters=filters)
        assert not any(whole in line for line in lines), lines
    # Stacks of a reversed tree end at callers, which have no own time.
    frames = files + [sample(1, 1, 1, RENDER, LIBC, APP)]
    for reverse in (), ("--reverse",):
        lines = head(*frames, filters=("--tree", *reverse))
        at, = [i for i, line in enumerate(lines) if line.startswith("Call tree")]
        assert ("self" in lines[at + 1]) == (not reverse), lines
        nodes = [line.split() for line in lines[at + 2:at + 5]]
        assert [node[:3] for node in nodes] == [["1", "100.0", "%"]] * 3, lines
        assert [node[3] == "1" for node in nodes] == [
            False, False, not reverse], lines
        shown = show(["view", "--snapshot=flame", "--keys=" + 3 * "\x1b[B",
                      *reverse, "FILE"], *frames)
        assert ("self 1 " in shown[-2]) == (not reverse), shown
        assert ("self" in shown[-2]) == (not reverse), shown
    # A waiting time has the error of the time between samples, 4 ms.
    rate = frame(11, -1, 0, 0, b"syscap.sample".ljust(40, b"\0") +
                 b"1000,cpu\0")
    for durations, ticks, waits, summary in (
            ((70,), 4, ["-"], "70.000 µs; their waiting is within the "
             "samples' error of 1.058 ms"),
            ((9000,), 4, ["5.000 ms"], "waiting 5.000 ms of 9.000 ms"),
            ((9000,), 8, ["< 4.000 ms"], "9.000 ms; their waiting is within "
             "the samples' error of 4.000 ms"),
            ((30000, 20), 4, ["26.000 ms", "-"],
             "waiting 22.020 ms of 30.020 ms")):
        marks = [frame(10, 1, 2000000 - 10, 0x5C000001, struct.pack(
            "<q24s40s", us * 1000, b"g", b"n") + b"\0") for us in durations]
        lines = head(*files, rate, *marks,
                     *[sample(1, 1, 4, RENDER)] * (ticks // 4),
                     *[sample(2, 2, 4, RENDER)] * 4, filters=["--slowest=9"])
        at = next(i for i, line in enumerate(lines)
                  if line.startswith("Slowest marks"))
        rows = lines[at + 2:at + 2 + len(durations)]
        assert [row.split("s ", 1)[1].split("+")[0].strip()
                for row in rows] == waits, rows
        expect(lines, "  the slowest %d: %s" % (len(waits), summary))
    # The capture has no samples.
    lines = head(*files)
    expect(lines, "x.syscap", "  lost       nothing")
    assert not any("hottest" in line for line in lines), lines


main()
