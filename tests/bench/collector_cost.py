#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""collector_cost.py SYSCAP ALLOC_HEAVY SOURCE [ROUNDS [PART...]] - cost of
collectors. The parts are memory, waits and counters; default: all parts.

A row is one program with one option: user + sys of the program, without the
recorder's process.  Each round runs all rows of a program in turn. A ratio
divides a row by the plain row of the same round.  The output is the median and
the quartiles of the rounds, and the ratio of the fastest quarters, on which
other programs have the least effect.  `tar` of /usr/include into a pipe, and a
GTK 4 program of 300 frames, measure blocking calls and stalls. The rows of
heaptrack and Sysprof's preloaded library also have the added time for each
recorded allocation.  Counters are a share of a processor: the time of a
recorder of `sleep` with counters, less its time without counters.
"""
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

N_ALLOCATIONS = 1000000
SLEEP_S = 10
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL,
         "stderr": subprocess.DEVNULL}


def used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def inner(file, command):
    """Runs inside the recorder, and writes the time of the command alone."""
    subprocess.run(command, check=True, **QUIET)
    with open(file, "w") as out:
        out.write(str(used()))


def quarter(values):
    """The mean of the fastest quarter."""
    return statistics.mean(sorted(values)[:max(len(values) // 4, 1)])


class Bench:
    def __init__(self, syscap, pairs):
        self.syscap, self.pairs = syscap, pairs

    def cost(self, recorder, command):
        """The process that writes its cost is the recorded process: other
        recorders do not preload their library into its children."""
        inside = [sys.executable, "-S", os.path.abspath(__file__), "--inner",
                  "cost"]
        if command[-1] == "cost":
            inside = []
        subprocess.run([*recorder, *inside, *command], check=True, **QUIET)
        with open("cost") as file:
            return float(file.read())

    def recorded(self, *options):
        return [self.syscap, "record", "-q", "--force", "--no-symbols", "-o",
                "capture", *options, "--"]

    def heap(self):
        """Number of events in the last recording, and number of emitted
        events."""
        said = json.loads(subprocess.run(
            [self.syscap, "stat", "--json", "capture"], check=True,
            capture_output=True).stdout)
        return said.get("heap", {}).get("allocations", 0)

    def rows(self, what, command, recorders, n_of=None):
        taken = {name: [] for name in recorders}
        counts = dict.fromkeys(recorders, 0)
        for _ in range(self.pairs):
            for name, recorder in recorders.items():
                for old in os.listdir("."):
                    if old.startswith("capture"):
                        os.unlink(old)
                taken[name].append(self.cost(recorder, command))
                if n_of and name in n_of:
                    counts[name] = n_of[name]()
        plain = taken["plain"]
        print(f"\n{what}: {statistics.median(plain) * 1e3:.1f} ms by itself")
        for name in recorders:
            if name == "plain":
                continue
            ratios = [a / b for a, b in zip(taken[name], plain)]
            added = [a - b for a, b in zip(taken[name], plain)]
            low, middle, high = statistics.quantiles(ratios, n=4)
            fastest = quarter(taken[name]) / quarter(plain)
            line = (f"  {name:22} x {middle:.3f} ({low:.3f} to {high:.3f}), "
                    f"fastest x {fastest:.3f}, "
                    f"{statistics.median(added) * 1e3:+.1f} ms")
            if counts[name]:
                each = statistics.median(added) / counts[name] * 1e9
                line += f", {each:.0f} ns for each of {counts[name]:,}"
            print(line, flush=True)
        return {name: statistics.median(taken[name]) - statistics.median(plain)
                for name in recorders}

    def memory(self, program, source):
        recorders = {"plain": [], "--memory": self.recorded("--memory"),
                     "--memory=512K": self.recorded("--memory=512K")}
        n_of = {"--memory": self.heap}
        if shutil.which("heaptrack"):
            recorders["heaptrack"] = ["heaptrack", "-o", "capture.ht"]
            n_of["heaptrack"] = lambda: N_ALLOCATIONS
        runner = os.path.join(source, "tests/compat/sysprof_cli_run.sh")
        if shutil.which("sysprof-cli") and shutil.which("dbus-daemon"):
            recorders["sysprof-cli --memprof"] = [
                "env", "SYSPROF_CLI_OPTIONS=--memprof", "sh", runner,
                "capture"]
            n_of["sysprof-cli --memprof"] = self.heap
        self.rows(f"{N_ALLOCATIONS:,} allocations and frees",
                  [program, str(N_ALLOCATIONS), "cost"], recorders, n_of)
        if shutil.which("jq"):
            self.rows("jq, an array of 200,000 texts",
                      ["jq", "-n", "[range(200000) | tostring] | length"],
                      {name: recorders[name] for name in
                       ("plain", "--memory=512K")})

    def waits(self, source):
        recorders = {"plain": []}
        recorders |= {" ".join(options): self.recorded(*options) for options in
                      (["--io"], ["--stalls"], ["--io", "--stalls"])}
        self.rows("tar of /usr/include",
                  ["sh", "-c", "tar cf - /usr/include | cat"], recorders)
        if not shutil.which("xvfb-run") or subprocess.run(
                ["pkg-config", "--exists", "gtk4"]).returncode:
            print("no GTK 4 program: there is no xvfb-run, or no gtk4")
            return
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "gtk4"],
                               check=True, capture_output=True, text=True)
        subprocess.run(["cc", "-O2", "-rdynamic", "-o", "story",
                        os.path.join(source, "tests/compat/gtk4_story.c"),
                        *flags.stdout.split()], check=True)
        os.environ |= {"GDK_BACKEND": "x11", "GSK_RENDERER": "cairo"}
        self.rows("GTK 4, 300 frames", ["./story", "work", "300"],
                  {name: ["xvfb-run", "-a", *recorder]
                   for name, recorder in recorders.items()})

    def counters(self):
        shares = []
        for _ in range(max(self.pairs // 3, 3)):
            taken = []
            for options in (["--counters"], []):
                before = used()
                subprocess.run([*self.recorded(*options), "sleep",
                                str(SLEEP_S)], check=True, **QUIET)
                taken.append(used() - before)
            shares.append((taken[0] - taken[1]) / SLEEP_S * 100)
        print(f"\ncounters, 10 Hz: {statistics.median(shares):.3f} % of a "
              f"processor ({min(shares):.3f} to {max(shares):.3f})")


def main():
    if sys.argv[1] == "--inner":
        return inner(sys.argv[2], sys.argv[3:])
    syscap, program, source = map(os.path.abspath, sys.argv[1:4])
    bench = Bench(syscap, int(sys.argv[4]) if len(sys.argv) > 4 else 10)
    with tempfile.TemporaryDirectory(prefix="syscap-cost-") as folder:
        os.chdir(folder)
        print(f"load {os.getloadavg()[0]:.1f}, {bench.pairs} rounds")
        parts = sys.argv[5:] or ["memory", "waits", "counters"]
        if "memory" in parts:
            bench.memory(program, source)
        if "waits" in parts:
            bench.waits(source)
        if "counters" in parts:
            bench.counters()
        os.chdir("/")


main()
