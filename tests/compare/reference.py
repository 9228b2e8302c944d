# SPDX-License-Identifier: BSD-2-Clause
"""reference.py SYSCAP BASE... -- NEW... - `syscap diff --json` agrees with an
independent reader and an independent calculation.

The values come from tests/profile/capture.py: self time of each function,
marks.  The calculation uses means and variances of the statistics module, tails
of Student's t by Simpson's rule, and the procedure of Benjamini and Hochberg
for the rows that differ. At the ends of an interval, Welch's test has to give
exactly the limit.
"""
import collections
import json
import math
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../profile"))
import capture  # noqa: E402

RATE = 0.05


def tails(t, degrees):
    """The probability beyond t on both sides."""
    if t > 1e6:
        return 0.0
    steps = 4000
    # The range from x = t to infinity is finite in u = 1 / (1 + x).
    end = 1 / (1 + t)
    factor = 2 * math.exp(math.lgamma((degrees + 1) / 2) -
                          math.lgamma(degrees / 2)) / \
        math.sqrt(degrees * math.pi)

    def density(u):
        if u == 0:
            return 0.0 if degrees > 1 else degrees ** ((degrees + 1) / 2)
        x = 1 / u - 1
        return (1 + x * x / degrees) ** (-(degrees + 1) / 2) / (u * u)

    h = end / steps
    total = density(0) + density(end)
    for i in range(1, steps):
        total += (4 if i % 2 else 2) * density(i * h)
    return factor * total * h / 3


def welch(base, new, step, ratio=1.0):
    """(t, degrees of freedom) of new against ratio times base."""
    floor = step * step / 12
    vb = max(statistics.variance(base), floor) / len(base)
    vn = max(statistics.variance(new), floor) / len(new)
    if vb + vn == 0:
        return math.inf, len(base) + len(new) - 2
    degrees = (vb + vn) ** 2 / (vb ** 2 / (len(base) - 1) +
                                vn ** 2 / (len(new) - 1))
    difference = statistics.mean(new) - ratio * statistics.mean(base)
    return difference / math.sqrt(vn + ratio * ratio * vb), degrees


def rank(values, percent):
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]


def read(path):
    """{(kind, in, name, measure): value}, and steps of functions."""
    with open(path, "rb") as file:
        read_file = capture.Capture(file.read())
    result = collections.Counter()
    for sample in read_file.samples:
        name, binary, _ = sample.frames[-1]
        result["function", binary, name, "amount"] += read_file.weight(sample)
    step = sum(result.values()) / len(read_file.samples)
    marks = collections.defaultdict(list)
    for mark in read_file.marks:
        marks[mark.group, mark.name].append(mark.duration)
    for (group, name), durations in marks.items():
        result["mark", group, name, "count"] = len(durations)
        for percent in 50, 90, 99:
            result["mark", group, name, "p%d" % percent] = \
                rank(durations, percent)
    return result, step


def near(one, other):
    return abs(one - other) <= 1e-6 * max(1e-3, abs(one), abs(other))


def check_row(row, runs, missed):
    values = row["base_values"] + row["new_values"]
    key = row["kind"], row["in"], row["name"], row["measure"]
    step = {"amount": max(step for _, step in runs), "max": 1,
            "last": 1}.get(row["measure"], 1)
    if row["kind"] != "counter":
        expected = [run.get(key, 0) for run, _ in runs]
        assert all(map(near, values, expected)), (key, values, expected)
    if None in values:
        return None
    assert near(row["base"], statistics.mean(row["base_values"])), key
    assert near(row["new"], statistics.mean(row["new_values"])), key
    p = tails(abs(welch(row["base_values"], row["new_values"], step)[0]),
              welch(row["base_values"], row["new_values"], step)[1])
    for end, sign in (row["low"], 1), (row["high"], -1):
        if end is None or end <= -1 or row["base"] == 0:
            continue
        t = sign * welch(row["base_values"], row["new_values"], step,
                         1 + end)[0]
        degrees = welch(row["base_values"], row["new_values"], step)[1]
        if not math.isinf(t):
            assert abs(tails(max(t, 0), degrees) / missed - 1) < 1e-3, \
                (key, end, t, tails(t, degrees), missed)
    return p if len(set(values)) > 1 else None


def main(syscap, base, new):
    done = subprocess.run([syscap, "diff", "--json"] + base + ["--"] + new,
                          stdout=subprocess.PIPE, check=True)
    report = json.loads(done.stdout)
    runs = [read(path) for path in base + new]
    assert report["units"] == "runs"
    missed = 1 - report["confidence"]
    ps = [(check_row(row, runs, missed), row["differs"])
          for row in report["rows"]]
    judged = sorted(p for p, _ in ps if p is not None)
    n = len(judged)
    differing = max([i + 1 for i, p in enumerate(judged)
                     if p < RATE * (i + 1) / n], default=0)
    assert report["judged"] == n, (report["judged"], n)
    assert report["differing"] == differing, (report["differing"], differing)
    assert near(missed, RATE * max(differing, 1) / n)
    for p, differs in ps:
        assert differs == (p is not None and p < missed), (p, missed)
    # No row above the limit is missing.
    told = {(row["kind"], row["in"], row["name"], row["measure"])
            for row in report["rows"]}
    for side in runs[:len(base)], runs[len(base):]:
        total = sum(value for run, _ in side for key, value in run.items()
                    if key[0] == "function")
        for key in set().union(*[run for run, _ in side]):
            amount = sum(run.get(key, 0) for run, _ in side)
            assert key in told or key[0] == "function" and \
                amount < 0.01 * total, key
    print("%d rows, %d judged, %d differ" % (len(ps), n, differing))


words = sys.argv[2:]
main(sys.argv[1], words[:words.index("--")], words[words.index("--") + 1:])
