# SPDX-License-Identifier: BSD-2-Clause
"""equal.py SYSCAP PROTOC FILTERS CAPTURE... - comparison of exports with an
independent reader (tests/profile). All events of every export, and the sums of
`syscap stat`, equal those of the reader. Compares without a filter and through
FILTERS random filters; SEED=N repeats a run."""
import collections
import decimal
import json
import math
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "profile"))

from answers import (events, has_mark, is_inlined, marks_of, passes, seen,
                     transform)
from capture import Capture
from compare import pick
from exported import Perfetto, is_part, read_chrome, read_csv

SEVERITIES = ("error", "critical", "warning", "message", "info", "debug",
              "other")
INLINED = " (inlined)"  # of csv: _[i]


def severity(bits):
    return SEVERITIES[next((i for i in range(6) if bits & 4 << i), 6)]


def arguments(want, begin):
    args = []
    for option, value in want.items():
        if option in ("from", "to"):
            value = "%dns" % (value - begin)
        elif option == "longer-than":
            value = "%dns" % value
        args += ["--" + option] + ([] if value is True else [str(value)])
    return args


def export(syscap, path, args):
    done = subprocess.run([syscap, "export", *args, path],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.stdout if done.returncode == 0 else None


def key_of(row):
    """A double may be written as an integer, and NaN as an empty text."""
    def plain(value):
        if isinstance(value, (float, decimal.Decimal)):
            value = float(value)
            if not math.isfinite(value):
                return None
            return int(value) if value == int(value) else value
        return value

    return tuple((0, "") if plain(v) is None else (1, str(plain(v)))
                 for v in row)


def values_of(capture, rows):
    for v in rows:
        category, name, _, value = capture.typed(v)
        yield (v.time, v.pid, category + ": " + name if name
               else "counter %d" % v.id, value)


def wanted(capture, want):
    """In the form of exported.py, with names of functions as in csv and
    chrome."""
    rows = events(capture, want)
    found = {key: rows[key] for key in ("losses",)}
    found["losses"] = [(r.begin, r.end, r.frames, r.samples, r.bytes)
                       for r in rows["losses"]]
    found["marks"] = [tuple(m) for m in rows["marks"]]
    found["logs"] = [(r.time, r.pid, r.tid, severity(r.severity), r.domain,
                      r.message) for r in rows["logs"]]
    found["values"] = list(values_of(capture, rows["values"]))
    marks = capture.marks
    end = max([capture.begin] + [m.time + m.duration for m in marks] +
              [m.end for m in capture.losses] +
              [r.time for rows in (capture.samples, capture.values,
                                   capture.logs, capture.allocations)
               for r in rows] + [capture.last])
    found["operations"] = [
        (begin, max(begin, end if to is None else to),
         marks[parts[0]].pid, marks[parts[0]].group)
        for begin, to, parts in rows["operations"]]
    found["arrows"] = [
        ((marks[a].time + marks[a].duration, marks[a].pid, marks[a].tid),
         (marks[b].time, marks[b].pid, marks[b].tid))
        for a, b in rows["arrows"]]
    # In Perfetto, arrows lead from slice to slice.
    found["flows"] = [(marks[a][0:1] + marks[a][2:4],
                       marks[b][0:1] + marks[b][2:4])
                      for a, b in rows["arrows"]]
    inside = marks_of(capture, want) if "mark" in want else None
    found["samples"] = collections.Counter()
    for sample in capture.samples:
        sample = seen(sample, want)
        if passes(sample, want, inside):
            names = [f[0] + (INLINED if is_inlined(f) else "")
                     for f in transform(sample.frames, want)]
            if "reverse" in want:
                names.reverse()
            found["samples"][sample.pid, sample.tid, tuple(names)] += \
                capture.weight(sample)
    found["allocations"] = [
        (a.time, a.pid, a.tid, a.address, a.size) for a in capture.allocations
        if a.size > 0 and passes(seen(a, want), want, inside)]
    found["threads"] = {
        who: name for who, name in capture.threads.items()
        if who in {(r.pid, r.tid) for rows in (
            capture.samples, marks, capture.values, capture.logs,
            capture.allocations, capture.losses) for r in rows}}
    return found


def compare(what, ours, theirs, keys, want):
    for key in keys:
        a, b = ours[key], theirs[key]
        if isinstance(a, list):
            a, b = sorted(a, key=key_of), sorted(b, key=key_of)
            a, b = list(map(key_of, a)), list(map(key_of, b))
        if a != b:
            print("%s: %s differ with %s" % (what, key, want))
            if isinstance(a, list):
                a, b = collections.Counter(a), collections.Counter(b)
            print("  export has", list((set(a.items()) - set(b.items())))[:5])
            print("  reader has", list((set(b.items()) - set(a.items())))[:5])
            sys.exit(1)


Timed = collections.namedtuple("Timed", "time duration pid tid")


def without_others(found, want):
    """If an operation passes, all its marks pass."""
    found["marks"] = [m for m in found["marks"] if not is_part(m[6]) or
                      has_mark(want, Timed(*m[:4]))]
    return found


def rank(values, percent):
    return values[-(-len(values) * percent // 100) - 1]


def summed(capture, theirs, rows):
    """Sums of marks, counters and logs, as in `syscap stat`."""
    durations = collections.defaultdict(list)
    for mark in rows["rows"]:
        durations[mark.group, mark.name].append(mark.duration)
    marks = {name: (len(d), d[0], sum(d) // len(d), rank(d, 50), rank(d, 99),
                    d[-1], sum(d))
             for name, d in ((n, sorted(d)) for n, d in durations.items())}
    counters = collections.defaultdict(list)
    for v in rows["values"]:
        number = capture.typed(v)[3]
        owner = v.pid
        if (v.pid, v.id) not in capture.defined:
            owner = capture.owners.get(v.id)
        counters[owner, v.id].append((v.time, number))
    found = {}
    for (owner, number), values in counters.items():
        latest = max(v[0] for v in values)
        found[owner, number] = (
            len(values), [v for t, v in values if t == latest][-1],
            min(v for _, v in values), max(v for _, v in values))
    return marks, found, dict(collections.Counter(
        log[3] for log in theirs["logs"]))


def check_stat(syscap, path, capture, want, theirs):
    done = subprocess.run(
        [syscap, "stat", "--json", "--functions=1",
         *arguments(want, capture.begin), path], stdout=subprocess.PIPE,
        check=True)
    whole = json.loads(done.stdout)
    keys = ("count", "min_ns", "mean_ns", "median_ns", "p99_ns", "max_ns",
            "total_ns")
    ours = (
        {(m["group"], m["name"]): tuple(m[key] for key in keys)
         for m in whole["marks"]},
        {(None if c["name"] is None else c["pid"], c["id"]):
         (c["count"], c["last"], c["min"], c["max"])
         for c in whole["counters"] if c["count"]},
        whole["logs"])
    for what, a, b in zip(("marks", "counters", "logs"), ours,
                          summed(capture, theirs,
                                 events(capture, want))):
        if a != b:
            print("stat: %s differ with %s\n  %s\n  %s" % (what, want, a, b))
            sys.exit(1)


EVENTS = ("marks", "values", "logs", "losses", "samples", "allocations")
LINKED = EVENTS + ("operations", "arrows", "threads")


def check(syscap, protoc, path, capture, want):
    args = arguments(want, capture.begin)
    chrome = export(syscap, path, ["--format=chrome"] + args)
    if chrome is None:
        assert "mark" in want and not marks_of(capture, want), want
        return
    theirs = wanted(capture, want)
    check_stat(syscap, path, capture, want, theirs)
    compare("chrome", without_others(read_chrome(
        chrome, capture.begin,
        lambda pid: capture.period[pid] if capture.period else 1), want),
        theirs, LINKED, want)
    if protoc:
        trace = Perfetto(export(syscap, path, ["--format=perfetto"] + args),
                         protoc)
        assert trace.unit == (9 if capture.unit == "ticks" else 1)
        compare("perfetto", without_others(trace.found, want),
                dict(theirs, arrows=theirs["flows"]), LINKED, want)
    tables = {name: export(syscap, path,
                           ["--format=csv", "--table=" + name] + args)
              for name in EVENTS if name != "values"}
    tables["counters"] = export(
        syscap, path, ["--format=csv", "--table=counters"] + args)
    folded = dict(theirs, samples=collections.Counter())
    for (pid, tid, names), weight in theirs["samples"].items():
        names = tuple(n.replace(";", ":").replace(INLINED, "_[i]")
                      for n in names)
        folded["samples"][pid, tid, names] += weight
    # The table has the frames unchanged.
    folded["marks"] = [tuple(m) for m in capture.raw_marks
                       if has_mark(want, m)]
    compare("csv", read_csv(tables), folded, EVENTS, want)


def main(syscap, protoc, filters, paths):
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    rng = random.Random(seed)
    print("SEED=%d" % seed)
    for path in paths:
        with open(path, "rb") as file:
            capture = Capture(file.read())
        check(syscap, protoc, path, capture, {})
        for _ in range(int(filters)):
            want = pick(capture, rng)
            want.pop("of", None)
            check(syscap, protoc, path, capture, want)
        print("%s: %d marks, %d values, %d samples agree" % (
            path, len(capture.marks), len(capture.values),
            len(capture.samples)))


if __name__ == "__main__":
    main(*sys.argv[1:4], sys.argv[4:])
