#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""harmless_row.py NAME MORE COMMAND... - one line of harmless.sh's table.

Runs COMMAND as it is and under `syscap record` in turns.  MORE is 1 for what has
threads or children: then by wall at 10 kHz and by perf, too.  A cell says how
many runs ended with another status or output than without us.  Then come: what
was delivered of 1,000 samples a second of processor time; of the stacks of the
clock cpu how many are whole, and of their addresses how many have names;
user + sys of command and recorder by that of the command alone, median and
quartiles of interleaved pairs.

Reads SYSCAP (the command), SYSCAP_RUNS (20; of what takes 0.5 s at most
3), SYSCAP_COLUMNS (which; cpu wall wall10k perf memory all),
HARMLESS_HOT (a function of the program's script that has to have a name).
Exit status 1: it was harmed.
"""
import collections
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time

OPTIONS = {
    "cpu": ["--sample=1000,cpu"],
    "wall": ["--sample=1000,wall"],
    "wall10k": ["--sample=10000,wall"],
    "perf": ["--sample=1000,perf"],
    "memory": ["--memory"],
    "all": ["--memory=mmap", "--sample", "--io", "--stalls", "--logs", "--counters",
            "--stderr"],
}
FEW = 20  # samples, of which nothing can be said
MORE = ("wall10k", "perf")
SYSCAP = os.environ["SYSCAP"]
CAPTURE = "capture.syscap"


def used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command):
    """Status, output, what it said, seconds of processors, seconds."""
    cpu, wall = used(), time.monotonic()
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=600, check=False)
        status, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        status, out, err = "no end", b"", b""
    return status, out, err, used() - cpu, time.monotonic() - wall


def recorded(column, command):
    return run([SYSCAP, "record", "--force", "-o", CAPTURE,
                *OPTIONS[column], "--", *command])


def count_samples(into):
    """Adds what the last capture has."""
    done = subprocess.run([SYSCAP, "stat", "--json", CAPTURE],
                          capture_output=True, check=False)
    if done.returncode == 0:
        into.update(json.loads(done.stdout).get("samples") or {})


def rate(samples):
    """Of 1,000."""
    n, weight = samples["count"], samples["weight"]
    return f"{1000 * n / weight:.0f}" if n >= FEW else "-"


def whole_share(samples):
    n = samples["count"]
    return f"{100 - 100 * samples['stopped'] / n:.1f}" if n >= FEW else "-"


def named(said):
    found = re.search(rb"([0-9.]+) % of the addresses", said)
    return found[1].decode() if found else "-"


def hot_share(function):
    """How much of the last capture a function is said to be, by its name."""
    done = subprocess.run([SYSCAP, "stat", "--functions", "1000", CAPTURE],
                          capture_output=True, check=False)
    line = re.search(rb"^.* ([0-9.]+) % .*\b" + function.encode(),
                     done.stdout, re.M)
    return f"; {function} {line[1].decode()} %" if line else \
        f"; no {function}"


def main():
    name, more, command = sys.argv[1], sys.argv[2] == "1", sys.argv[3:]
    columns = os.environ.get("SYSCAP_COLUMNS", " ".join(OPTIONS)).split()
    status, out, _, _, seconds = run(command)
    runs = int(os.environ.get("SYSCAP_RUNS", "20"))
    if seconds >= 0.5:
        runs = min(runs, 3)
    same = run(command)[1] == out  # what differs by itself tells nothing
    cells, costs = [], []
    samples = {"cpu": collections.Counter(), "perf": collections.Counter()}
    names = "-"
    harmed = 0
    for column in columns:
        if column in MORE and not more:
            cells.append("")
            continue
        bad = 0
        for _ in range(runs):
            plain = run(command) if column == "cpu" else None
            got = recorded(column, command)
            if got[0] != (status if status >= 0 else 128 - status) or \
                    (same and got[1] != out):
                bad += 1
            if plain:
                costs.append(got[3] / max(plain[3], 1e-6))
                names = named(got[2])
                if "HARMLESS_HOT" in os.environ:
                    names += hot_share(os.environ["HARMLESS_HOT"])
            if column in samples:
                count_samples(samples[column])
        cells.append(f"**{bad} of {runs}**" if bad else "0")
        harmed += bad
    cost = "-"
    if len(costs) > 2:
        low, middle, high = statistics.quantiles(costs, n=4)
        cost = f"{middle:.2f} ({low:.2f}–{high:.2f})"
    cells += [rate(samples["cpu"]), rate(samples["perf"]) if more else "",
              whole_share(samples["cpu"]), names, cost]
    print(f"| {name} | {status} | {runs} | " + " | ".join(cells) + " |",
          flush=True)
    return harmed != 0


sys.exit(main())
