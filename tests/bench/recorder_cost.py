#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""recorder_cost.py SYSCAP MARK_HEAVY SOURCE [ROUNDS] - cost of a recorder.

user + sys of the recorder and its helpers, while a program emits marks at three
rates. The time for the same program without marks, and the program's own time,
are subtracted.  `syscap record` and sysprof-cli take turns; the values per mark
and per GB of marks are medians of the rounds.  The last column is the number of
marks in the captures.
"""
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

MILLISECONDS = 4000
BURSTS = 10, 100, 500
MARK_BYTES = 104
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL,
         "stderr": subprocess.DEVNULL}


def used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Bench:
    def __init__(self, syscap, program, source):
        self.syscap, self.program = syscap, program
        self.recorders = {"syscap record": [
            syscap, "record", "-q", "--force", "--no-symbols", "-o", "capture",
            "--"]}
        runner = os.path.join(source, "tests/compat/sysprof_cli_run.sh")
        if shutil.which("sysprof-cli") and shutil.which("dbus-daemon"):
            self.recorders["sysprof-cli"] = ["sh", runner, "capture"]
        else:
            print("sysprof-cli is left out: it, or dbus-daemon, is not here")

    def record(self, name, burst):
        """Marks sent, marks in the capture, seconds of the recorder."""
        if os.path.exists("capture"):
            os.unlink("capture")
        before = used()
        subprocess.run([*self.recorders[name], self.program,
                        str(MILLISECONDS), str(burst), "cost"], check=True,
                       **QUIET)
        took = used() - before
        with open("cost") as file:
            n, own = file.read().split()
        with subprocess.Popen(
                [self.syscap, "dump", "--type=mark", "--mark=bench/mark",
                 "capture"], stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL) as dump:
            kept = sum(1 for _ in dump.stdout)
        return int(n), kept, took - float(own)

    def row(self, burst, rounds):
        added = {name: [] for name in self.recorders}
        lost = dict.fromkeys(self.recorders, 0)
        n = 0
        for _ in range(rounds):
            for name in self.recorders:
                without = self.record(name, 0)[2]
                n, kept, took = self.record(name, burst)
                added[name].append(took - without)
                lost[name] += n - kept
        middle = {name: statistics.median(all_of) / n
                  for name, all_of in added.items()}
        print(f"\n{n / MILLISECONDS * 1000:,.0f} marks a second")
        for name, each in middle.items():
            print(f"  {name:14} {each * 1e9:8.0f} ns a mark, "
                  f"{each / MARK_BYTES * 1e9:6.2f} s a GB; not in the capture: "
                  f"{lost[name]:,} of {n * rounds:,}", flush=True)
        if len(middle) == 2:
            ours, theirs = middle.values()
            print(f"  {ours / theirs:.2f} x")


def main():
    syscap, program, source = map(os.path.abspath, sys.argv[1:4])
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    with tempfile.TemporaryDirectory(prefix="syscap-cost-") as folder:
        os.chmod(folder, 0o755)
        os.chdir(folder)
        print(f"load {os.getloadavg()[0]:.1f}, {rounds} rounds")
        bench = Bench(syscap, program, source)
        for burst in BURSTS:
            bench.row(burst, rounds)
        os.chdir("/")


main()
