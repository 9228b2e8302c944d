#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""harmless_row.py NAME MORE COMMAND... - one row of harmless.sh's table.

Runs COMMAND alone and under `syscap record`, in turns.  MORE is 1 for a program
with threads or children: then the row has the clocks wall at 10 kHz and perf,
too.  A cell has the number of runs whose status or output differs from that
without syscap.  The next cells are the number of samples per second of
processor time, of 1,000 requested; the share of complete stacks of the clock
cpu; and the share of addresses with names. The last cell is user + sys of
command and recorder, divided by that of the command alone, as median and
quartiles of pairs.

Reads SYSCAP (the command), SYSCAP_RUNS (20; at most 3 for commands of 0.5 s and
more), SYSCAP_COLUMNS (of cpu wall wall10k perf memory all), HARMLESS_HOT (a
function of the program's script that must have a name). Exit status 1: a run
differs.
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
FEW = 20  # samples; too few for a statement
MORE = ("wall10k", "perf")
SYSCAP = os.environ["SYSCAP"]
CAPTURE = "capture.syscap"


def used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command):
    """Status, standard output, standard error, seconds of processor time,
    seconds."""
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
    """Adds the figures of the last capture."""
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
    """The share of the function of this name in the last capture."""
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
    same = run(command)[1] == out  # a difference without syscap is no failure
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
