# SPDX-License-Identifier: BSD-2-Clause
"""adverse.py SYSCAP [whole] - every command that reads captures, on adverse
captures. The captures are truncated or extreme, come from fuzzers, or have
names that are markup or escapes in an output.

A command ends by itself with 0, or with 1 and a reason; a truncation is
reported with its offset.  Names are escaped in JSON, SVG, CSV, folded stacks
and on a terminal.  Without "whole" each capture is read by a random twelfth of
the commands; SEED repeats the choice.
"""
import csv
import glob
import io
import json
import os
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
from xml.parsers import expat

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "export"))
from story import Story, text  # noqa: E402

SYSCAP = sys.argv[1]
SECONDS = 120
WHOLE = "whole" in sys.argv[2:]
SEED = int(os.environ.get("SEED") or random.randrange(10**6))
CHOICE = random.Random(SEED)
LOWEST, HIGHEST = -2**63, 2**63 - 1
HOSTILE = [
    b"</script><script>alert(1)</script>", b"]]>", "\u202egnp.exe".encode(),
    b"\x1b]0;owned\x07\x1b[31m", b"a;b;c 7", b'say "no"', b"=1+1", b"-->",
    b"bad \xff\xfe utf-8", b"\xc0\xaf", b"\xed\xa0\x80", b"a\nb\r\tc", b"'",
    "\u2028\u2066\u0085".encode(), b"%s%n", b"&amp;", b"{}[],", b"\\u0000",
    b"\x7f", b"\xf4\x90\x80\x80",
]



def choices(*arguments):
    """Names in the message of `syscap export` without a format or a table."""
    said = subprocess.run([SYSCAP, "export", *arguments], capture_output=True,
                          text=True)
    return re.search("is one of (.*)", said.stderr)[1].split()


EXPORTS = [["export", "--format", name] for name in choices()
           if name != "csv"]
EXPORTS += [["export", "--format", "csv", "--table", name]
            for name in choices("--format", "csv")]
COMMANDS = EXPORTS + [
    ["stat"], ["stat", "--all", "--threads", "--tree"],
    ["stat", "--json", "--threads", "--tree"],
    ["stat", "--slowest", "3"], ["stat", "--json", "--slowest", "50%"],
    ["stat", "--all", "--of", "leaked"],
    ["stat", "--from", "1ms", "--to", "1s", "--reverse", "--hide-system",
     "--collapse-recursion", "--focus", "."],
    ["flamegraph"], ["flamegraph", "--folded"], ["flamegraph", "--reverse"],
    ["dump"], ["dump", "--json"], ["check"], ["files"], ["files", "--json"]]


PAGES = ("flame", "chart", "functions", "marks", "compare", "counters", "logs",
         "lost")
ALL_KEYS = "\r2+-tT\x1b[C3j\rufuxuzuruyue4\r\r4ufu4cs+l\r6\ru7s8?1/a\rnN"
COMMANDS += [["view", "--snapshot", name, "--size", "100x30"]
             for name in PAGES]
COMMANDS += [["view", "--snapshot", "flame", "--keys", ALL_KEYS],
             ["view", "--snapshot", "marks", "--size", "20x8", "--exact",
              "--keys", "\r"]]

# Placeholder for a second reading of the same file.
SELF = "SELF"
DIFFS = [["diff", "--all", "--min", "0%", SELF],
         ["diff", "--all", "--total", "--markdown", SELF],
         ["diff", "--json", "--by-share", SELF, SELF, "--", SELF]]
COMMANDS += DIFFS

# For many captures within a short time.
FEW = [["stat", "--json", "--threads", "--tree", "--reverse", "--slowest", "3",
        "--focus", ".", "--collapse-library", "*", "--from", "0", "--to", "1s"],
       ["stat", "--all", "--threads", "--tree"], ["dump"], ["flamegraph"],
       ["export", "--format", "speedscope"], ["files", "--json"],
       ["export", "--format", "perfetto"], ["export", "--format", "chrome"],
       ["export", "--format", "firefox"], ["export", "--format", "callgrind"],
       ["view", "--snapshot", "flame", "--keys", ALL_KEYS],
       ["diff", "--all", "--min", "0%", "--total", SELF]]


class Failed(Exception):
    pass


def limit():
    """A limit of the command's processor time; the other limit ends a command
    that waits for ever."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def run(arguments, path):
    """The output of a command, after a check of the exit status."""
    command = [SYSCAP] + [path if word == SELF else word
                          for word in arguments] + [path]
    # 3: a part cannot be compared
    ends = (0, 1, 3) if arguments[0] == "diff" else (0, 1)
    what = " ".join(command[1:])
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=1:exitcode=99",
               UBSAN_OPTIONS="exitcode=99:print_stacktrace=1")
    try:
        done = subprocess.run(command, capture_output=True, env=env,
                              preexec_fn=limit, timeout=1200)
    except subprocess.TimeoutExpired:
        raise Failed(f"{what}: does not end") from None
    status = done.returncode
    if status == -signal.SIGKILL:
        raise Failed(f"{what}: does not end in {SECONDS} s of processor time")
    if status not in ends or b"runtime error" in done.stderr:
        raise Failed(f"{what}: {status}\n{done.stderr.decode()}")
    if status != 0 and not done.stderr and arguments[0] != "check":
        raise Failed(f"{what}: status {status} without a reason")
    return done


def as_text(data, what):
    """No control characters except line ends, and no direction characters."""
    shown = data.decode()
    for c in shown:
        if (ord(c) < 32 and c not in "\n\r") or 0x7f <= ord(c) < 0xa0 or \
                c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069":
            raise Failed(f"{what}: {c!r} in what it shows")
    return shown


def walk(message, numbers):
    """The bytes of all protobuf messages at a path of field numbers."""
    at, found = 0, []

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            varint()
        elif key & 7 == 1:
            at += 8
        elif key & 7 == 2:
            n = varint()
            at += n
            if key >> 3 == numbers[0]:
                inner = message[at - n:at]
                found += walk(inner, numbers[1:]) if numbers[1:] else [inner]
        else:
            raise ValueError(f"a field of kind {key & 7}")
    if at != len(message):
        raise ValueError("a field is longer than its message")
    return found


CALLGRIND = re.compile(
    r"|# callgrind format|(version|creator|positions|events?|summary|totals): "
    r".+|c?(ob|fl|fi|fn)=\(\d+\)( .+)?|calls=\d+ 0|0 \d+")


def look_at(arguments, out):
    """The output is valid in its format."""
    what = " ".join(arguments)
    if not out:
        return
    if "pprof" in what:
        if out[:2] != b"\x1f\x8b":
            raise Failed(f"{what}: no gzip")
    elif "perfetto" in what:
        if not walk(out, [1]):
            raise Failed(f"{what}: no packets")
        for name in walk(out, [1, 60, 2]) + walk(out, [1, 12, 2, 2]):
            name.decode()
    elif "chrome" in what or "firefox" in what:
        json.loads(out, parse_constant=lambda name: float("no " + name))
    elif "--json" in what or "speedscope" in what:
        for line in out.decode().splitlines():
            json.loads(line)
    elif arguments[0] == "flamegraph" and "--folded" not in arguments:
        expat.ParserCreate().Parse(out, True)
        if out.count(b"<script") != 1:
            raise Failed(f"{what}: {out.count(b'<script')} scripts")
    elif "csv" in arguments:
        rows = list(csv.reader(io.StringIO(as_text(out, what), newline=""),
                               strict=True))
        if any(len(row) != len(rows[0]) for row in rows):
            raise Failed(f"{what}: rows of different lengths")
    elif "callgrind" in what:
        for line in as_text(out, what).split("\n"):
            if not CALLGRIND.fullmatch(line):
                raise Failed(f"{what}: {line!r}")
    elif "folded" in what:
        for line in as_text(out, what).splitlines():
            if not re.fullmatch(r".+ \d+", line):
                raise Failed(f"{what}: {line!r}")
    else:
        as_text(out, what)


def choose(commands):
    """All commands, or a random twelfth for each capture."""
    return commands if WHOLE else CHOICE.sample(commands, max(1, len(commands) // 12))


def look(path, commands=None):
    for arguments in choose(commands or COMMANDS):
        out = run(arguments, path).stdout
        try:
            look_at(arguments, out)
        except (ValueError, expat.ExpatError, csv.Error) as error:
            raise Failed(f"{path}: {arguments}: {error!r}") from None
    if commands:
        return
    joined, copy = SCRATCH + "/joined", SCRATCH + "/names"
    run(["cat", "--force", "-q", "-o", joined], path)
    run(["flamegraph", "--diff", path], path)
    run(["symbolize", "-o", copy], path)
    for left in joined, copy:
        if os.path.exists(left):
            os.unlink(left)


class Capture(Story):
    """An empty directory."""

    def __init__(self, names=()):
        super().__init__(n=1)
        self.names = list(names)
        self.frames = []

    def file(self, begin=0, end=0):
        head = struct.pack("<IBBxx64sqqQ160x", 0xFDCA975E, 1, 1,
                           b"2026-01-02T03:04:05Z", begin, end, 0)
        return head + b"".join(self.frames)

    def raw_sample(self, time, pid, tid, addresses, tag=0):
        self.frame(2, pid, time, tag, struct.pack(
            "<HHi%dQ" % len(addresses), len(addresses), 0, tid, *addresses))

    def raw_mark(self, time, duration, pid, tid, group=b"g", name=b"n",
                 message=b""):
        self.frame(10, pid, time, 0x5C000000 | tid, struct.pack(
            "<q", duration) + group[:23].ljust(24, b"\0") +
            name[:39].ljust(40, b"\0") + message + b"\0")


def extremes():
    """(name, bytes) of unusual but valid captures."""
    yield "no-bytes", b""
    yield "a-header", Capture().file()

    one = Capture()
    one.frame(4, 7, 5, 0, b"one\0")
    one.raw_mark(5, 0, 7, 7)
    one.raw_sample(5, 7, 7, [0x400000])
    yield "an-instant", one.file(5, 5)

    back = Capture()
    for i in range(200):
        back.raw_sample(10**9 - i * 10**6, 7, 7, [0x400000 + i % 3, 0x500000])
        back.raw_mark(10**9 - i * 10**6, 10**7, 7, 7)
    yield "backwards", back.file(2 * 10**9, 1)

    negative = Capture()
    for i, duration in enumerate([-1, LOWEST, HIGHEST, -10**9, 0]):
        negative.raw_mark(i * 100, duration, 7, 7)
        negative.raw_sample(i * 100, 7, 7, [0x400000])
    yield "negative", negative.file(0, -5)

    edges = Capture()
    for time in LOWEST, LOWEST + 1, -1, 0, HIGHEST - 1, HIGHEST:
        edges.frame(4, 7, time, 0, b"edge\0")
        edges.raw_sample(time, 7, 7, [0x400000], 0x5DFFFFFF)
        for duration in LOWEST, 0, HIGHEST:
            edges.raw_mark(time, duration, 7, 7)
        edges.frame(9, 7, time, 0, struct.pack("<HHI8I8Q", 1, 0, 0, 1, *[0] * 7,
                                               2**64 - 1, *[0] * 7))
        edges.frame(14, 7, time, 0, struct.pack(
            "<QqiHHQ", 0x1000, HIGHEST, 7, 1, 0, 0x400000))
        edges.frame(12, 7, time, 0, struct.pack("<HHI", 16, 0, 0) +
                    text("d", 32) + b"m\0")
        edges.frame(5, 7, time, 0, struct.pack("<iI", 8, 0))
        edges.frame(6, 7, time, 0, b"")
    yield "edges", edges.file(LOWEST, HIGHEST)

    deep = Capture()
    for i in range(5):
        deep.raw_sample(i, 7, 7, [0x400000 + (k * 7 + i) * 16
                                  for k in range(8187)])
        deep.raw_sample(i, 7, 7, [0x400000] * 8187)
    yield "deep", deep.file(0, 10)

    threads = Capture()
    for i in range(10**5 if WHOLE else 300):
        threads.raw_sample(i, 7 + i % 3, 100 + i, [0x400000 + i % 50])
        threads.raw_mark(i, 50, 7 + i % 3, 100 + i)
    yield "threads", threads.file(0, 10**6)

    pids = Capture()
    for i in range(10**5 if WHOLE else 300):
        pids.frame(4, 100 + i, i, 0, b"many\0")
        pids.raw_sample(i, 100 + i, 100 + i, [0x400000])
    yield "processes", pids.file(0, 10**6)

    n = 10**6 if WHOLE else 2000
    names = Capture(f"function_{i}" for i in range(n))
    for at in range(0, n, 1000):
        body = struct.pack("<I", 1000)
        for i in range(at, at + 1000):
            body += struct.pack("<Q", names.address(i)) + b"fn_%d\0" % i
        names.frame(7, 7, 0, 0, body)
        for i in range(at, at + 1000, 10):
            names.raw_sample(i, 7, 7, [names.address(i + k) for k in range(10)])
            names.raw_mark(i, 5, 7, 7, name=b"name %d" % i)
    yield "names", names.file(0, n)

    hostile = Capture()
    for i, name in enumerate(HOSTILE):
        hostile.frame(4, 7 + i, i, 0, name + b"\0")
        body = struct.pack("<IQ", 1, hostile.address(i)) + name + b"\0"
        hostile.frame(7, 7 + i, i, 0, body)
        hostile.raw_sample(i * 10, 7 + i, 7 + i, [hostile.address(i)] * 2)
        hostile.raw_mark(i * 10, 5, 7 + i, 7 + i, name, name, name)
        hostile.frame(12, 7 + i, i, 0, struct.pack("<HHI", 16, 0, 0) +
                      name[:31].ljust(32, b"\0") + name + b"\0")
        hostile.frame(11, 7 + i, i, 0, name[:39].ljust(40, b"\0") + name +
                      b"\0")
        hostile.frame(13, 7 + i, i, 0, struct.pack("<HH", 1, 4) +
                      name.ljust(256, b"\0") + b"text")
        hostile.frame(8, 7 + i, i, 0, struct.pack("<HHI", 1, 0, 0) +
                      name[:31].ljust(32, b"\0") + name[:31].ljust(32, b"\0") +
                      name[:51].ljust(52, b"\0") + struct.pack("<IQ", i + 1, 0))
        hostile.frame(3, 7 + i, i, 0, struct.pack(
            "<QQQQ", 0x400000, 0x500000, 0, 0) + b"/" + name + b"\0")
        hostile.raw_sample(i * 10 + 1, 7 + i, 7 + i, [0x400010, 0x400020])
    yield "hostile", hostile.file(0, 1000)


def special_files():
    """Mappings of a path that is no file, and of a sparse file of 100 GB."""
    os.mkfifo(os.path.join(SCRATCH, "pipe"))
    os.mkdir(os.path.join(SCRATCH, "folder"))
    with open(os.path.join(SCRATCH, "sparse"), "wb") as file:
        file.write(b"\x7fELF\x02\x01\x01")
        file.truncate(100 * 2**30)
    capture = Capture()
    paths = [os.path.join(SCRATCH, name)
             for name in ("pipe", "folder", "sparse")] + ["/dev/zero", "//", ""]
    for i, path in enumerate(paths):
        start = 0x400000 + i * 0x100000
        capture.frame(3, 7, 0, 0, struct.pack(
            "<QQQQ", start, start + 0x10000, 0, 0) + path.encode() + b"\0")
        capture.raw_sample(i, 7, 7, [start + 16, start + 32])
    return capture.file(0, 10)


def cuts(path, places):
    """Prefixes of the capture."""
    with open(path, "rb") as file:
        data = file.read()
    for k in range(places):
        yield data[:len(data) * k // places]


def is_frame_end(data):
    order = "<H" if len(data) > 5 and data[5] & 1 else ">H"
    at = 256
    while at < len(data):
        if len(data) - at < 24:
            return False
        at += max(struct.unpack_from(order, data, at)[0], 24)
    return at == len(data)


def corpus():
    """The fuzzers' corpus and findings."""
    tests = os.path.join(os.path.dirname(__file__), "..")
    folders = [f"{tests}/fuzz/corpus/{name}"
               for name in ("reader", "join", "dropin")]
    folders += [path for path in glob.glob(f"{tests}/dropin/corpus/*")
                if os.path.isdir(path)]
    for folder in folders:
        yield from sorted(glob.glob(f"{folder}/*"))


def keep(name, data):
    path = os.path.join(SCRATCH, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def look_at_cuts(path, places, commands):
    for data in cuts(path, places):
        cut = keep("cut", data)
        look(cut, commands)
        told = run(["stat"], cut).stderr.decode()
        if len(data) >= 256 and not is_frame_end(data) and \
                "at byte" not in told:
            raise Failed(f"{path}, cut at {len(data)}: {told!r}")


def texts():
    """Inputs of `syscap import`: complete, truncated, and with names that are
    markup in an output."""
    hostile = b"\n".join(b";".join(HOSTILE[i:i + 3]).replace(b"\n", b" ") +
                         b" %d" % (i + 1) for i in range(len(HOSTILE)))
    perf = b"".join(
        b"%s 7/8 [000] 1.%06d: 1 cycles:\n\t%x %s+0x1 (%s)\n\n" %
        (name, i, 2**64 - 1 - i, name, name)
        for i, name in enumerate(n.replace(b"\n", b"") for n in HOSTILE))
    deep = b";".join(b"f%d" % (i % 7) for i in range(20000)) + b" 3\n"
    for name, data in (("folded", hostile), ("perf-script", perf),
                       ("folded", deep), ("folded", b""), ("folded", perf),
                       ("perf-script", hostile)):
        yield name, data
        for k in range(1, 60 if WHOLE else 6):
            yield name, data[:len(data) * k // 60]


def look_at_imports():
    """The import succeeds or prints a reason, and the output is a capture."""
    out = os.path.join(SCRATCH, "imported")
    for name, data in texts():
        told = run(["import", "--format", name, "-o", out], keep("in", data))
        as_text(told.stderr, "import")
        if os.path.exists(out):
            look(out, FEW[:3])
            os.unlink(out)


def main():
    print(f"SEED={SEED}")
    look_at_imports()
    few = None if WHOLE else FEW
    for name, data in extremes():
        look(keep(name, data))
    look(keep("special-files", special_files()))
    story = os.path.join(SCRATCH, "story")
    Story(n=50).write(story)
    look(story)
    look_at_cuts(story, 500 if WHOLE else 12, few)
    n = 0
    for path in corpus():
        look(path, few)
        n += 1
    if n == 0:
        raise Failed("there is no corpus")
    for path in corpus():
        if path.endswith("/everything.syscap"):
            look_at_cuts(path, 500 if WHOLE else 12, few)
        elif WHOLE:
            look_at_cuts(path, 25, FEW)
    print(f"{n} files of the corpus")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as SCRATCH:
        try:
            main()
        except Failed as failed:
            sys.exit(f"FAILED: {failed}")
