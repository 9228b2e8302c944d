#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""agrees_with_perf.py COMMAND... - the shares of functions agree with those of
perf.

Runs COMMAND under `perf record --call-graph dwarf` and under `syscap record
--sample`. The recorder with the fewest samples runs next, until each half of
perf's runs and syscap's runs have SAMPLES. Then prints self and total of perf's
ten hottest functions, by perf and by syscap.  With n samples the error of a
share of one half is 50 / sqrt(n) points. The largest of twenty errors is twice
as large.  The difference between the two halves of perf's runs is printed,
too.

Kernel time counts for the function that entered the kernel: perf counts the
kernel too (cpu-clock, not cpu-clock:u), and kernel frames are removed. Samples
of the loader are removed, too, because syscap's library is loaded later.

Exit status 1: the difference is larger than this, and than POINTS (2).  77:
there is no perf, or perf may not count kernel time.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

POINTS = float(os.environ.get("POINTS", "2"))
SAMPLES = int(os.environ.get("SAMPLES", "8000"))
SYSCAP = os.environ["SYSCAP"]
KERNEL = 1 << 63  # start of the module's addresses
LOADER = "dl_start"  # and the samples with the function in the stack


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, check=False,
                          capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        sys.exit(f"{command[:4]}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def without_type(name):
    """Some demanglers put the return type in front of a template's name."""
    depth, begin = 0, 0
    for i, c in enumerate(name):
        depth += (c in "<({[") - (c in ">)}]" and name[i - 1] != "-")
        if c == " " and depth == 0 and "operator" not in name[:i]:
            begin = i + 1
    return name[begin:]


def bare(name):
    """The common name of a function, without the additions of either
    profiler."""
    name = re.sub(r"@@?[A-Z].*|\.(constprop|isra|part|cold|lto_priv)\b.*", "",
                  name)
    name = re.sub(r"::h[0-9a-f]{16}$", "", name)
    # one place, two names
    name = re.sub(r"^mem(move|cpy)_", "memcpy_", name.lstrip("_"))
    depth = 0
    for i, c in enumerate(name):
        depth += (c == "<") - (c == ">" and name[i - 1] != "-")
        if c == "(" and depth == 0 and i > 0:
            return without_type(name[:i])
    return without_type(name)


class Profile:
    """Weights of stacks; @n samples have @weight."""

    def __init__(self):
        self.n = self.weight = 0
        self.inner, self.total = collections.Counter(), collections.Counter()

    def add(self, weight, stack):
        self.weight += weight
        self.inner[stack[0]] += weight
        for name in set(stack):
            self.total[name] += weight

    def shares(self, name):
        return (100 * self.inner[name] / self.weight,
                100 * self.total[name] / self.weight)


def add_perf(profile, command):
    run("perf", "record", "-q", "-e", "cpu-clock", "-F", "1000",
        "--call-graph", "dwarf,32768", "-o", "perf.data", "--", *command)
    text = run("perf", "script", "-i", "perf.data", "--no-inline",
               "-F", "ip,sym")
    for sample in re.split(r"\n\s*\n", text):
        frames = [line.split(None, 1) for line in sample.splitlines()]
        stack = [bare(frame[1].strip()) for frame in frames
                 if len(frame) > 1 and int(frame[0], 16) < KERNEL]
        if stack and LOADER not in stack:
            profile.n += 1
            profile.add(1, stack)


def add_ours(profile, command):
    run(SYSCAP, "record", "-q", "--force", "-o", "capture",
        "--sample=1000", "--", *command)
    text = run(SYSCAP, "export", "--format=folded", "-o", "-", "capture")
    for line in text.splitlines():
        stack, weight = line.rsplit(" ", 1)
        profile.add(int(weight),
                    [bare(name) for name in reversed(stack.split(";"))])
    told = json.loads(run(SYSCAP, "stat", "--json", "capture"))
    profile.n += told["samples"]["count"]


def main():
    if shutil.which("perf") is None:
        print("skip: there is no perf")
        return 77
    if subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:k", "-o",
                       "/dev/null", "true"], capture_output=True,
                      check=False).returncode != 0:
        print("skip: perf may not count the kernel's time here")
        return 77
    command = sys.argv[1:]
    home = os.getcwd()
    halves, perf, ours = (Profile(), Profile()), Profile(), Profile()
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        while min(half.n for half in (*halves, ours)) < SAMPLES:
            fewest = min(*halves, ours, key=lambda half: half.n)
            (add_ours if fewest is ours else add_perf)(fewest, command)
        os.chdir(home)
    for half in halves:
        perf.n += half.n
        perf.weight += half.weight
        perf.inner += half.inner
        perf.total += half.total
    named = [(name, n) for name, n in perf.inner.most_common()
             if name not in ("[unknown]", "")]
    worst = noise = 0.0
    print(f"{json.dumps(' '.join(command))[:70]}: {perf.n} samples of perf")
    for name, _ in named[:10]:
        theirs, mine = perf.shares(name), ours.shares(name)
        print(f"  {theirs[0]:6.2f} {mine[0]:6.2f}   "
              f"{theirs[1]:6.2f} {mine[1]:6.2f}  {name[:60]}")
        worst = max(worst, *(abs(a - b) for a, b in zip(theirs, mine)))
        noise = max(noise, *(abs(a - b) for a, b in
                             zip(*(h.shares(name) for h in halves))))
    print(f"  most: {worst:.2f} points; perf from perf: {noise:.2f}")
    return worst > POINTS + noise


sys.exit(main())
