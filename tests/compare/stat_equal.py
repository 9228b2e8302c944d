# SPDX-License-Identifier: BSD-2-Clause
"""stat_equal.py SYSCAP CAPTURE SEED - check that diff and stat agree on one
run: values of each counter, number of marks, and the slowest marks."""
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from collections import defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "export"))
from story import BEGIN, Story  # noqa: E402

SYSCAP, CAPTURE, SEED = sys.argv[1:]


def ask(command, filters, *files):
    done = subprocess.run([SYSCAP, command, "--json", *filters, *files],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    # Both commands report that a thread with only a name has no events.
    idle = b"the capture has no event of thread" in done.stderr
    if command == "stat" and done.returncode != (1 if idle else 0):
        sys.exit(f"{command} {filters}: {done.stderr.decode()}")
    # If no sample passes, there is nothing to compare.
    if command == "diff" and done.returncode == 3 and not done.stdout:
        return {"rows": []}
    return json.loads(done.stdout)


def of_stat(filters):
    rows = defaultdict(float)
    whole = ask("stat", filters, CAPTURE)
    for counter in whole["counters"]:
        if counter["name"] is None or not counter["count"]:
            continue
        numbers = counter["last"], counter["max"]
        if any(n is None or not math.isfinite(n) for n in numbers):
            continue
        key = counter["category"], counter["name"]
        rows[("counter", *key, "last")] += numbers[0]
        rows[("counter", *key, "max")] += numbers[1]
    # With times, stat counts marks that overlap, diff marks that begin.
    for mark in whole["marks"] if "--from" not in filters else []:
        rows["mark", mark["group"], mark["name"], "count"] += mark["count"]
    return dict(rows)


def of_diff(filters):
    # Two files on each side, so that runs are compared, not blocks of one run.
    whole = ask("diff", ["--all", "--min", "0%", *filters], CAPTURE, CAPTURE,
                "--", CAPTURE, CAPTURE)
    rows = {}
    for row in whole["rows"]:
        if row["kind"] == "counter" or (row["measure"] == "count" and
                                        "--from" not in filters):
            values = set(row["base_values"] + row["new_values"])
            if len(values) != 1:
                sys.exit(f"one run, and {row}")
            if row["base_values"][0]:
                rows[row["kind"], row["in"], row["name"],
                     row["measure"]] = row["base_values"][0]
    return rows


def check_slowest(folder):
    """Check that both commands choose the slowest marks of the whole capture,
    also if diff compares blocks of one run.  The marks become slower, so that
    the last blocks have the slowest."""
    story = Story()
    for i in range(20):
        story.mark(10, 10, BEGIN + i * 95_000_000, (i + 1) * 2_000_000,
                   "growing", "step")
    path = os.path.join(folder, "growing.syscap")
    story.write(path)
    for slowest, n in ("3", 3), ("10%", 2):
        filters = ["--mark", "growing/step", "--slowest", slowest]
        expected = ask("stat", filters, path)
        assert expected["hot"]["marks"] == n and expected["hot"]["total"] > 0
        found = ask("diff", ["--all", "--min", "0%", *filters], path, path)
        amounts = [sum(row["base_values"]) / len(row["base_values"])
                   for row in found["rows"] if row["kind"] == "function"]
        counts = [sum(row["base_values"]) / len(row["base_values"])
                  for row in found["rows"] if row["measure"] == "count"]
        if (not math.isclose(expected["hot"]["total"], sum(amounts)) or
                not math.isclose(n, sum(counts))):
            sys.exit(f"{filters}: {expected['hot']['total']} in {n} marks in "
                     f"stat, {sum(amounts)} in {sum(counts)} in diff")


def main():
    whole = ask("stat", [], CAPTURE)
    span = whole["duration_ns"]
    threads = [(process["pid"], tid) for process in whole["processes"]
               for tid in process["threads"]]
    chance = random.Random(SEED)
    looks = [[]]
    for _ in range(12):
        pid, tid = chance.choice(threads)
        times = sorted(chance.randrange(span) for _ in range(2))
        looks.append(chance.choice([
            ["--pid", str(pid)], ["--thread", str(tid)],
            ["--from", f"{times[0]}ns", "--to", f"{times[1]}ns"],
            ["--pid", str(pid), "--from", f"{times[0]}ns"]]))
    n = 0
    for filters in looks:
        expected, found = of_stat(filters), of_diff(filters)
        expected = {key: value for key, value in expected.items() if value}
        found = {key: value for key, value in found.items() if value}
        if expected.keys() != found.keys() or any(
                not math.isclose(expected[key], found[key], rel_tol=1e-9)
                for key in expected):
            for key in sorted(expected.keys() | found.keys(), key=str):
                if expected.get(key) != found.get(key):
                    print(key, "stat:", expected.get(key), "diff:",
                          found.get(key))
            sys.exit(f"{filters}: not the same")
        n += len(expected)
    with tempfile.TemporaryDirectory() as folder:
        check_slowest(folder)
    print(f"{n} numbers are the same")


main()
