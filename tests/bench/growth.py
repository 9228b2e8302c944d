# SPDX-License-Identifier: BSD-2-Clause
"""growth.py COST_OF SYSCAP - growth of the cost of `syscap stat` with the
number of events. The captures have ten thousand, a hundred thousand and a
million events of each type.  A row has the processor time and the memory for
each number of events; a factor of ten is linear.  BENCH_COUNT=1 counts
instructions by valgrind, which is fifty times slower and equal on every
machine. Growth of the time alone comes from cache misses. BENCH_STEPS has
other numbers of events, separated by spaces. docs/benchmarking.md has the
figures."""
import os
import re
import struct
import subprocess
import sys
import tempfile

STEPS = [int(n) for n in os.environ.get(
    "BENCH_STEPS", "10000 100000 1000000").split()]


def frame(kind, pid, time, body, tag=0):
    body += b"\0" * (-len(body) % 8)
    return struct.pack("<HhiqBxHI", 24 + len(body), 0, pid, time, kind, 0,
                       tag) + body


def mark(i, pid=7, tid=7, name=b"name"):
    return frame(10, pid, 1000 + i, struct.pack("<q", 5) +
                 b"group".ljust(24, b"\0") + name.ljust(40, b"\0") + b"m\0",
                 0x5C000000 | tid)


def sample(i, addresses, pid=7):
    return frame(2, pid, 1000 + i, struct.pack(
        "<HHi%dQ" % len(addresses), len(addresses), 0, pid, *addresses))


def frames(n):
    for i in range(n):
        yield mark(i)


def mark_names(n):
    for i in range(n):
        yield mark(i, name=b"name %d" % i)


def threads(n):
    for i in range(n):
        yield mark(i, tid=7 + i)


def processes(n):
    for i in range(n):
        yield frame(4, 7 + i, 1000 + i, b"program %d\0" % i)
        yield mark(i, 7 + i, 7 + i)


def functions(n):
    base = 0xE000000000000000
    for i in range(0, n, 100):
        yield frame(7, 7, 1000, struct.pack("<I", 100) + b"".join(
            struct.pack("<Q", base + k) + b"function_%d\0" % k
            for k in range(i, i + 100)))
    for i in range(n):
        yield sample(i, [base + i, base + i // 2, base])


def counters(n):
    for i in range(n):
        yield frame(8, 7, 1000 + i, struct.pack("<HHI", 1, 0, 0) +
                    b"category".ljust(32, b"\0") +
                    (b"counter %d" % i).ljust(32, b"\0") + b"".ljust(52, b"\0")
                    + struct.pack("<IQ", i + 1, 0))
        yield frame(9, 7, 1000 + i, struct.pack(
            "<HHI8I8Q", 1, 0, 0, i + 1, *[0] * 7, i, *[0] * 7))


def maps(n):
    yield frame(4, 7, 1000, b"program\0")
    for i in range(n):
        yield frame(3, 7, 1000, struct.pack(
            "<QQQQ", 0x1000 * i, 0x1000 * i + 0x1000, 0, 0) + b"/lib/%d\0" % i)
    for i in range(n):
        yield sample(i, [0x1000 * (i * 7 % n) + 16])


def write(path, rows):
    with open(path, "wb") as file:
        file.write(struct.pack("<IBBxx64sqqQ160x", 0xFDCA975E, 1, 1,
                               b"2026-01-02T03:04:05Z", 1000, 10**7, 0))
        file.writelines(rows)


def instructions(command):
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def measure(cost_of, path, command):
    if os.environ.get("BENCH_COUNT"):
        return "%.1f M" % (instructions(command) / 1e6)
    done = subprocess.run([cost_of, path, *command], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, timeout=600, text=True,
                          check=False)
    seconds, _, own, _ = (done.stdout.split() + ["-"] * 4)[:4]
    return f"{seconds} s {own} MiB"


def main(cost_of, syscap):
    print("%-12s%s" % ("", "".join("%18s" % f"{n:,}" for n in STEPS)))
    with tempfile.TemporaryDirectory(
            dir=os.environ.get("BENCH_SCRATCH")) as folder:
        path = os.path.join(folder, "capture")
        for kind in (frames, mark_names, threads, processes, functions,
                     counters, maps):
            cells = ""
            for n in STEPS:
                write(path, kind(n))
                cells += "%18s" % measure(
                    cost_of, path, [syscap, "stat", "--no-lookup", path])
            print("%-12s%s" % (kind.__name__.replace("_", " "), cells),
                  flush=True)


main(*sys.argv[1:])
