#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sample_cost.py SYSCAP [PAIRS] - cost of `syscap record --sample` for the
recorded programs.

User + sys of a command and its descendants, with and without the recorder, in
turns. The time of the recorder is included.  A row has the median and the
quartiles of the pairs' ratios.

For short processes, the command is a shell that runs 400 processes. The time of
a shell without processes is subtracted on both sides, so that start and end of
the recorder count once.  For a busy thread, the command is a loop of some
seconds.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile

SHORT = 400
LOOP = 'i=0; while [ $i -lt %d ]; do %s; i=$((i + 1)); done'
BUSY = [sys.executable, "-S", "-c",
        "n = 0\nfor i in range(40000000):\n n += i & 7"]
AIMS = {"short": 1.5, "busy": 1.03}


def cost(command):
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return used() - before


def row(what, pairs, aim):
    ratios = [a / b for a, b in pairs]
    low, middle, high = statistics.quantiles(ratios, n=4)
    plain = statistics.median(b for _, b in pairs)
    print(f"{what:34} {plain * 1e3:10.1f} ms  x {middle:.3f} "
          f"({low:.3f} to {high:.3f})  aim {aim}", flush=True)


def main():
    syscap = os.path.abspath(sys.argv[1])
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    os.chdir(tempfile.mkdtemp(prefix="syscap-cost-"))

    def recorded(options, command):
        return cost([syscap, "record", "-q", "--force", "-o", "capture",
                     *options, "--", *command])

    print(f"load {os.getloadavg()[0]:.1f}, {n} pairs")
    for options in ([], ["--sample=1000,cpu"], ["--sample=1000,perf"],
                    ["--sample=1000,wall"]):
        name = options[0] if options else "no samples"
        pairs = []
        some = ["sh", "-c", LOOP % (SHORT, "/bin/true")]
        none = ["sh", "-c", LOOP % (0, "/bin/true")]
        for _ in range(n):
            pairs.append((recorded(options, some) - recorded(options, none),
                          cost(some) - cost(none)))
        row(f"{SHORT} short processes, {name}", pairs, AIMS["short"])
    for options in (["--sample=1000,cpu"], ["--sample=1000,perf"]):
        pairs = []
        for _ in range(n):
            pairs.append((recorded(options, BUSY), cost(BUSY)))
        row(f"a busy thread, {options[0]}", pairs, AIMS["busy"])
    os.unlink("capture")
    os.rmdir(os.getcwd())


main()
