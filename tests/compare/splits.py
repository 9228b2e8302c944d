# SPDX-License-Identifier: BSD-2-Clause
"""splits.py SYSCAP POOL SPLITS - error rates of `syscap diff`.

The directory POOL has base*.syscap, runs of one program, and new*.syscap, runs
with 15 % more of stir() and 10 % more of the mark mix/beat.  Five base runs
against five other base runs: each reported difference is wrong.  Five base runs
against five new runs: the planted differences have to be found.

The random splits are the same in each run.
"""
import concurrent.futures
import glob
import json
import os
import random
import subprocess
import sys

SIDE = 5
WRONG_ROWS, WRONG_FAILURES, FOUND = 0.05, 0.02, 0.95


def diff(syscap, base, new):
    done = subprocess.run(
        [syscap, "diff", "--json", "--fail-above", "5%"] + base + ["--"] + new,
        stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        sys.exit("exit status %d" % done.returncode)
    report = json.loads(done.stdout)
    if (report["failing"] > 0) != (done.returncode == 1):
        sys.exit("the exit status contradicts the output")
    return report, done.returncode


def differs(report, kind, name, measure):
    return any(row["differs"] and row["change"] > 0 for row in report["rows"]
               if (row["kind"], row["name"], row["measure"]) ==
               (kind, name, measure))


def main(syscap, pool, splits):
    base = sorted(glob.glob(os.path.join(pool, "base*.syscap")))
    new = sorted(glob.glob(os.path.join(pool, "new*.syscap")))
    choose = random.Random(1)
    asked = []
    for _ in range(splits):
        files = choose.sample(base, 2 * SIDE)
        asked.append((files[:SIDE], files[SIDE:]))
        asked.append((files[:SIDE], choose.sample(new, SIDE)))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        told = list(workers.map(lambda sides: diff(syscap, *sides), asked))
    rows = wrong = failures = reports = stir = beat = 0
    for (report, status), (planted, _) in zip(told[::2], told[1::2]):
        rows += report["judged"]
        wrong += report["differing"]
        reports += report["differing"] > 0
        failures += status
        stir += differs(planted, "function", "stir", "amount")
        beat += differs(planted, "mark", "beat", "p50")
    print("%d + %d captures, %d splits: %d of %d rows reported wrongly "
          "(%.2f %%), in %d comparisons; %d failed (%.1f %%); found +15 %% of "
          "a function in %d (%.1f %%), +10 %% of a mark's median in %d "
          "(%.1f %%)" %
          (len(base), len(new), splits, wrong, rows, 100 * wrong / rows,
           reports, failures, 100 * failures / splits, stir,
           100 * stir / splits, beat, 100 * beat / splits))
    if wrong > WRONG_ROWS * rows or failures > WRONG_FAILURES * splits or \
            min(stir, beat) < FOUND * splits:
        sys.exit("the error rates are above the limits")


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
