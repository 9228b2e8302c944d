# SPDX-License-Identifier: BSD-2-Clause
"""formats.py SYSCAP [GO] [SQLITE3] - every format agrees with the recording to
the last tick, with and without filters, and keeps names unchanged."""
import collections
import csv
import gzip
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

from story import BEGIN, PERIOD, Story

syscap, go, sqlite3, duckdb = (sys.argv[1:] + ["", "", ""])[:4]


def export(path, *args):
    done = subprocess.run([syscap, "export", *args, path], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.stdout, done.stderr.decode()


def stacks(samples):
    sums = collections.Counter()
    for _, pid, tid, ticks, names in samples:
        sums[pid, tid, tuple(names)] += ticks
    return sums


def check_folded(path, samples, args):
    out, said = export(path, "--format=folded", *args)
    lines = collections.Counter()
    for line in out.decode().splitlines():
        stack, _, count = line.rpartition(" ")
        lines[stack] += int(count)
    wanted = collections.Counter()
    for (_, _, names), ticks in stacks(samples).items():
        wanted[";".join(n.replace(";", ":") for n in names)] += \
            ticks * PERIOD
    assert lines == wanted, "folded"
    for n, what in ((183, "marks"), (100, "frames of counters"),
                    (10, "lines of logs"), (10, "frees")):
        assert "note: omitted %d %s, which" % (n, what) in said, said
    assert "note: omitted 20 allocations; --of=allocated exports them" in \
        said, said


def check_evented(profile, frames):
    """Check that events are balanced, nested and in the order of time, and
    return the slices."""
    open_frames, last, found = [], 0, []
    for event in profile["events"]:
        assert event["at"] >= last, "time falls"
        last = event["at"]
        if event["type"] == "O":
            open_frames.append((event["frame"], last))
        else:
            frame, at = open_frames.pop()
            assert frame == event["frame"], "closes another frame"
            found.append((at, last - at, frames[frame]["file"],
                          frames[frame]["name"]))
    assert not open_frames and profile["endValue"] == last
    return found


def check_speedscope(path, samples, marks, args):
    out, said = export(path, "--format=speedscope", *args)
    whole = json.loads(out)
    frames = whole["shared"]["frames"]
    found, evented = collections.Counter(), []
    for profile in whole["profiles"]:
        pid, tid = map(int, re.match(r"story (\d+), thread (\d+)",
                                     profile["name"]).groups())
        if profile["type"] == "evented":
            evented += [(BEGIN + at, duration, pid, tid, group, name)
                        for at, duration, group, name
                        in check_evented(profile, frames)]
            continue
        assert profile["unit"] == "nanoseconds"
        assert profile["endValue"] == sum(profile["weights"])
        for stack, weight in zip(profile["samples"], profile["weights"],
                                 strict=True):
            names = tuple(frames[i]["name"] for i in stack)
            found[pid, tid, names] += weight
    assert found == collections.Counter(
        {k: v * PERIOD for k, v in stacks(samples).items()}), "speedscope"
    wanted = sorted(m[:6] for m in marks)
    missing = collections.Counter(wanted) - collections.Counter(evented)
    assert not collections.Counter(evented) - collections.Counter(wanted)
    n = sum(missing.values())
    # one mark of each thread partly overlaps others
    assert n == len({(m[2], m[3]) for m in marks}), missing
    assert "note: omitted %d mark%s that overlap" % (
        n, "" if n == 1 else "s") in said, said
    for n, what in ((20, "allocations"), (10, "frees")):
        assert "note: omitted %d %s, which" % (n, what) in said, said


def check_early_marks(folder):
    """Slices that began before the recording are cut at its beginning:
    speedscope accepts no time below 0."""
    early = Story(4)
    early.mark(10, 10, BEGIN - 5_000_000, 6_000_000, "frame", "early")
    early.mark(10, 10, BEGIN - 5_000_000, 1_000_000, "frame", "over")
    early.mark(20, 20, 1 - 2**63, 2**63 - 1, "frame", "far")
    early.mark(20, 20, 2**63 - 2, 2**63 - 1, "frame", "farther")
    path = os.path.join(folder, "early.syscap")
    early.write(path)
    whole = json.loads(export(path, "--format=speedscope")[0])
    frames = whole["shared"]["frames"]
    found = {}
    for profile in whole["profiles"]:
        if profile["type"] == "evented":
            for at, duration, _, name in check_evented(profile, frames):
                found.setdefault(name, (at, duration))
    assert found["early"] == (0, 1_000_000), found
    assert "over" not in found and "far" not in found, found
    assert found["farther"][0] == 2**63 - 2 - BEGIN, found
    export(path, "--format=pprof")


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            assert key & 7 == 2, "a type that profile.proto lacks"
            n, at = varint(data, at)
            value, at = data[at:at + n], at + n
        yield key >> 3, value


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def check_pprof(path, samples, args):
    out, _ = export(path, "--format=pprof", *args)
    parts = collections.defaultdict(list)
    for field, value in fields(gzip.decompress(out)):
        parts[field].append(value)
    assert set(parts) <= {1, 2, 3, 4, 5, 6, 9, 10, 14}, set(parts)
    texts = [text.decode() for text in parts[6]]
    assert texts[0] == ""
    types = [tuple(texts[v] for _, v in fields(t)) for t in parts[1]]
    assert types == [("samples", "count"), ("time", "nanoseconds")]
    names = {}
    for function in map(dict, map(fields, parts[5])):
        names[function[1]] = texts[function[2]]
    where = {}
    mappings = [dict(fields(m)) for m in parts[3]]
    assert texts[mappings[0][5]] == "story", "the main program is not first"
    for location in map(dict, map(fields, parts[4])):
        assert 1 <= location[2] <= len(mappings)
        where[location[1]] = names[dict(fields(location[4]))[1]]
    found = collections.Counter()
    for sample in parts[2]:
        labels, stack = {}, ()
        for field, value in fields(sample):
            if field == 1:
                stack = tuple(where[v] for v in reversed(packed(value)))
            elif field == 2:
                ticks, time = packed(value)
            else:
                label = dict(fields(value))
                labels[texts[label[1]]] = label[3]
        assert time == ticks * PERIOD
        found[labels["pid"], labels["tid"], stack] += ticks
    assert found == stacks(samples), "pprof"
    return out


def ask_go(folder, *args):
    done = subprocess.run([go, "tool", "pprof", *args], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, HOME=folder))
    return done.stdout.decode()


def go_top(folder, *args):
    """Ticks of each function: self and total. pprof takes <...> and (...) for
    arguments, and omits them."""
    told = ask_go(folder, "-top", "-sample_index=0", "-nodecount=100000",
                  "-nodefraction=0", *args)
    found = {}
    for own, total, name in re.findall(
            r"^ *(-?\d+) +\S+ +\S+ +(-?\d+) +\S+ +(.*)$", told, re.M):
        found[name] = int(own), int(total)
    return found


def check_go(folder, out, samples):
    path = os.path.join(folder, "p.pb.gz")
    with open(path, "wb") as file:
        file.write(out)
    counts = re.findall(r"^ +(\d+) +(\d+): ", ask_go(folder, "-raw", path),
                        re.M)
    assert sum(int(c) for c, _ in counts) == sum(s[3] for s in samples)
    wanted = collections.Counter()
    for sample in samples:
        wanted[sample[4][-1]] += sample[3]
    top = go_top(folder, path)
    for name, ticks in wanted.items():
        if re.fullmatch(r"\w+", name):
            assert top[name][0] == ticks, (name, top[name], ticks)
    assert sum(own for own, _ in top.values()) == sum(wanted.values())
    return top


def check_go_difference(folder, path, top):
    """Compared with half of the capture."""
    half = os.path.join(folder, "half.pb.gz")
    with open(half, "wb") as file:
        file.write(export(path, "--format=pprof", "--thread=11")[0])
    below = go_top(folder, half)
    differing = go_top(folder, "-diff_base", half,
                       os.path.join(folder, "p.pb.gz"))
    for name in top:
        wanted = top[name][0] - below.get(name, (0, 0))[0]
        assert differing.get(name, (0, 0))[0] == wanted, \
            (name, differing.get(name), wanted)


def table(path, name, args):
    out, said = export(path, "--format=csv", "--table=" + name, *args)
    assert out.endswith(b"\r\n") and said == "", said
    return out, list(csv.DictReader(io.StringIO(out.decode(), newline="")))


def check_csv(path, samples, marks, args):
    _, rows = table(path, "samples", args)
    assert [(int(r["time_ns"]), int(r["pid"]), int(r["tid"]),
             int(r["weight_ns"]), r["function"], r["stack"])
            for r in rows] == \
        [(time, pid, tid, ticks * PERIOD, names[-1],
          ";".join(n.replace(";", ":") for n in names))
         for time, pid, tid, ticks, names in samples], "csv samples"
    _, rows = table(path, "functions", args)
    selfs, totals = collections.Counter(), collections.Counter()
    for _, _, _, ticks, names in samples:
        selfs[names[-1]] += ticks * PERIOD
        for name in set(names):
            totals[name] += ticks * PERIOD
    assert {r["function"]: (int(r["self_ns"]), int(r["total_ns"]))
            for r in rows} == \
        {name: (selfs[name], totals[name]) for name in totals}
    _, rows = table(path, "marks", args)
    assert sorted((int(r["time_ns"]), int(r["duration_ns"]), int(r["pid"]),
                   int(r["tid"]), r["group"], r["name"]) for r in rows) == \
        sorted(m[:6] for m in marks), "csv marks"


def check_threadless(folder):
    """Marks of an unknown thread belong to every thread of their process, also
    in tables of other data."""
    path = os.path.join(folder, "threadless")
    threadless = Story(4)
    threadless.frame(10, 10, BEGIN + 5_000_000, 0, struct.pack(
        "<q24s40s", 80_000_000, b"odd", b"one") + b"\0")
    # This thread has only a sample.
    threadless.sample(BEGIN + 6_000_000, 10, 77, 1, [0])
    threadless.write(path)
    for name in ("counters", "logs", "allocations", "losses", "marks"):
        asked = ["--format=csv", "--table=" + name, "--thread=77"]
        assert export(path, *asked)[0] == \
            export(path, *asked, "--mark=odd/one")[0], name


def count_if(what):
    return f"count(case when {what} then 1 end)"


def check_engine(folder, path, story, ask):
    """Every table can be loaded, and agrees with the recording; @ask(file,
    what) runs a SELECT."""
    wanted = {
        "samples": (
            'sum(weight_ns), ' + count_if("function = '=HYPERLINK(\"x\")'"),
            [len(story.samples), sum(s[3] for s in story.samples) * PERIOD,
             sum(s[4][-1] == '=HYPERLINK("x")' for s in story.samples)]),
        "marks": (
            "sum(duration_ns), " + count_if("name = '=now'") +
            ", count(nullif(message, ''))",
            [len(story.marks), sum(m[1] for m in story.marks),
             sum(m[5] == "=now" for m in story.marks),
             sum(m[6] != "" for m in story.marks)]),
        "counters": (
            "sum(case when name = 'ratio' then value else 0 end), "
            "count(distinct name)",
            [len(story.values), sum(v[4] for v in story.values
                                    if v[3] == "ratio"), 2]),
        "logs": (
            "count(distinct message), " + count_if("severity = 'warning'"),
            [len(story.logs), 10, len(story.logs)]),
        "allocations": (
            "sum(bytes), count(nullif(cast(freed_ns as varchar), ''))",
            [sum(a[4] > 0 for a in story.allocations),
             sum(a[4] for a in story.allocations), 20]),
        "losses": ("count(*)", [0, 0]),
    }
    for name, (what, numbers) in wanted.items():
        file = os.path.join(folder, name + ".csv")
        export(path, "--format=csv", "--table=" + name, "-o", file)
        told = ask(file, "count(*), " + what)
        assert [float(n) for n in told.split("|")] == numbers, \
            (name, told, numbers)


def ask_sqlite(file, what):
    return subprocess.run(
        [sqlite3, ":memory:"], check=True, stdout=subprocess.PIPE, text=True,
        input=f".import --csv {file} t\nselect {what} from t;\n").stdout


def ask_duckdb(file, what):
    script = os.path.join(os.path.dirname(__file__), "duckdb.js")
    return subprocess.run(
        ["node", script, duckdb, f"select {what} from '{file}'"],
        check=True, stdout=subprocess.PIPE, text=True).stdout


with tempfile.TemporaryDirectory() as work:
    story = Story(3)
    file = os.path.join(work, "story.syscap")
    story.write(file)
    for args, passes in (
            ((), lambda e, pid, tid: True),
            (("--thread=11",), lambda time, pid, tid: tid == 11),
            (("--pid=10", "--from=50ms", "--to=120ms"),
             lambda time, pid, tid: pid == 10 and
             50_000_000 <= time - BEGIN < 120_000_000)):
        kept = [s for s in story.samples if passes(*s[:3])]
        kept_marks = [m for m in story.marks if passes(m[0], m[2], m[3])]
        check_folded(file, kept, args)
        if "--from=50ms" not in args:
            check_speedscope(file, kept, kept_marks, args)
        pprof = check_pprof(file, kept, args)
        check_csv(file, kept, kept_marks, args)
        if go:
            top = check_go(work, pprof, kept)
            if not args:
                check_go_difference(work, file, top)
    check_early_marks(work)
    check_threadless(work)
    if sqlite3:
        check_engine(work, file, story, ask_sqlite)
    if duckdb:
        check_engine(work, file, story, ask_duckdb)
