# SPDX-License-Identifier: BSD-2-Clause
"""screens.py SYSCAP FILTERS CAPTURE... - check of the pages of `syscap view
--exact`. All pages agree with an independent reader (tests/profile) to the
last tick: functions, callers and callees, the flame graph, marks and their
statistics, content of the slowest marks, counters, logs and losses.  Without a
filter, and through FILTERS random filters; SEED=N repeats a run."""
import collections
import math
import os
import random
import re
import subprocess
import sys

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [os.path.join(TESTS, "profile"), os.path.join(TESTS, "export")]

from answers import answer, events, marks_of, passes, transform
from capture import Capture
from compare import pick
from equal import arguments, severity

SYSCAP, FILTERS, PATHS = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
HEIGHT = 2000
HEIGHT_MOST = 20000
DOWN = "\x1b[B"


class Failed(Exception):
    pass


def screen(path, page, args, keys="", rows=0):
    """The lines of a page with @rows rows, without head and foot; None: the
    filter is refused."""
    height = min(max(HEIGHT, rows + 30), HEIGHT_MOST)
    done = subprocess.run(
        [SYSCAP, "view", "--snapshot", page, "--exact", "--size",
         "420x%d" % height, "--keys", keys, *args, path],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        if b"no marks match" in done.stderr or b"no mark" in done.stderr:
            return None
        raise Failed("view --snapshot %s: %s" % (page, done.stderr.decode()))
    lines = done.stdout.decode().split("\n")
    return [line for line in lines[3:height - 2] if line]


def expect(what, ours, theirs):
    if collections.Counter(ours) != collections.Counter(theirs):
        raise Failed("%s:\n  view has %s\n  reader has %s" % (
            what, *[sorted((collections.Counter(a) -
                            collections.Counter(b)).items(), key=str)[:6]
                    for a, b in ((ours, theirs), (theirs, ours))]))


def title(function):
    name, binary = function
    return name + ("  " + binary if binary else "")


ROW = re.compile(r"\s*(\d+)\s+(?:[\d.]+ %|–)\s+(\d+)\s+(?:[\d.]+ %|–)  (.*)")
AROUND = re.compile(r"\s*(\d+)\s+(?:[\d.]+ %|–)  (from|self|to) +  (.*)")


def functions(path, capture, want, args, rng):
    theirs = answer(capture, want)
    lines = screen(path, "functions", args)
    if lines is None:
        assert theirs["samples"] == 0
        return False
    ours = {}
    for line in lines:
        found = ROW.fullmatch(line)
        if found:
            ours[found[3]] = (int(found[1]), int(found[2]))
    rows = {title(f): sums for f, sums in theirs["functions"].items()}
    expect("functions", list(ours.items()), list(rows.items()))
    if rows:
        order = [line for line in lines if ROW.fullmatch(line)]
        number = rng.randrange(len(order))
        around(path, theirs, want, args, number,
               ROW.fullmatch(order[number])[3])
    return True


def around(path, theirs, want, args, number, name):
    """Callers and callees of the function in the line."""
    flows = collections.Counter()
    for stack, weight in theirs["folded"].items():
        stack = [title(f) for f in stack]
        at = [i for i, f in enumerate(stack) if f == name]
        if not at:
            continue
        first, last = at[0], at[-1]
        flows["from", stack[first - 1] if first else "(outermost)"] += weight
        flows[("to", stack[last + 1]) if last + 1 < len(stack)
              else ("self", name)] += weight
    ours = collections.Counter()
    for line in screen(path, "functions", args, DOWN * number + "\r"):
        found = AROUND.fullmatch(line)
        if found and int(found[1]):
            ours[found[2], found[3]] += int(found[1])
    expect("around %s" % name, list(ours.items()), list(flows.items()))


def flame(path, capture, want, args):
    """The text of the bottom line about the outermost frames."""
    theirs = answer(capture, want)
    done = subprocess.run(
        [SYSCAP, "view", "--snapshot", "flame", "--exact", "--keys", DOWN,
         *args, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0 or not theirs["total"]:
        return
    outermost = collections.Counter()
    for stack, weight in theirs["folded"].items():
        outermost[stack[0]] += weight
    said = done.stdout.decode().split("\n")[-3]
    found = re.match(r"(\d+)  ", said)
    if not found or int(found[1]) != max(outermost.values()):
        raise Failed("flame: %r, and %s" % (said, outermost))


def percentile(values, percent):
    values = sorted(values)
    return values[max(math.ceil(len(values) * percent / 100), 1) - 1]


def marks(path, capture, want, args):
    theirs = collections.defaultdict(list)
    rows = events(capture, want)
    for mark in rows["rows"]:
        theirs[mark.group + "/" + mark.name].append(mark)
    wanted = []
    for name, of in theirs.items():
        values = [mark.duration for mark in of]
        wanted.append((len(of), sum(values), min(values),
                       sum(values) // len(of), percentile(values, 50),
                       percentile(values, 99), max(values), name))
    lines = screen(path, "marks", args)
    ours = []
    for line in lines[1:]:
        found = re.fullmatch(r"\s*" + r"(\d+)\s+" * 6 + r"(\d+)  (.*)", line)
        if not found:
            raise Failed("marks: %r" % line)
        ours.append(tuple(map(int, found.groups()[:7])) + (found[8],))
    expect("statistics of marks", ours, wanted)
    for number in range(min(2, len(ours))):
        name = ours[number][7]
        lines = screen(path, "marks", args, DOWN * number + "\r",
                       len(theirs[name]))
        one_by_one = [tuple(map(int, found.groups())) for found in
                      (re.match(r"\s*(-?\d+)\s+(\d+)  ", line)
                       for line in lines) if found]
        wanted = sorted((m.time, m.duration) for m in theirs[name])
        # The latest marks do not fit
        expect("marks " + name, one_by_one, wanted[:len(one_by_one)]
               if len(one_by_one) > HEIGHT_MOST - 30 else wanted)


def inside(path, capture, want, args):
    """The comparison of the slowest marks of the first visible name with the
    other marks."""
    lines = screen(path, "compare", args + ["--keys", ""])
    head = lines and re.match(
        r"the slowest 1 % of (.*): (\d+) of (\d+), (\d+) and more", lines[0])
    if not head:
        return
    asked = {k: v for k, v in want.items()
             if k not in ("mark", "longer-than", "slowest", "reverse")}
    one = dict(asked, mark=head[1])
    every, slow = marks_of(capture, one), \
        marks_of(capture, dict(one, slowest="1%"))
    if (len(slow), len(every)) != (int(head[2]), int(head[3])):
        raise Failed("compare: %s, and %d of %d" % (head[0], len(slow),
                                                    len(every)))
    sums = [answer(capture, dict(one, slowest="1%")), answer(capture, one)]
    rest = len(every) - len(slow)
    wanted = {}
    for function, (self, _) in sums[1]["functions"].items():
        of = sums[0]["functions"].get(function, (0, 0))[0]
        wanted[title(function)] = (of / len(slow),
                                   (self - of) / rest if rest else 0)
    if sums[1]["unit"] == "ticks":
        return # with decimals, since the counter is no time
    longer = 1
    if rest and sum(m.duration for m in every) > sum(m.duration for m in slow):
        longer = sum(m.duration for m in slow) / len(slow) * rest / (
            sum(m.duration for m in every) - sum(m.duration for m in slow))
    found = {}
    for line in lines:
        row = re.match(r"\s*(\d+)\s+(\d+)\s+([+-]?\d+)\s+([+-]?\d+)"
                       r"  [█ ]{10}  (.*)", line)
        if row and not row[5].startswith("(waiting"):
            found[row[5]] = (int(row[1]), int(row[2]))
            one, other = wanted.get(row[5], (0, 0))
            usual = other * longer if longer > 1 else other
            unexpected = max(one - usual, 0) if one > other else one - other
            if abs(int(row[4]) - unexpected) > 0.51:
                raise Failed("compare: %r, and %s" % (line, unexpected))
    for name, values in wanted.items():
        if name not in found or any(abs(a - b) > 0.51 for a, b in
                                    zip(found[name], values)):
            raise Failed("compare: %s is %s, and %s" % (
                name, found.get(name), values))


def others(path, capture, want, args):
    rows = events(capture, want)
    ours = [re.match(r"\s*(-?\d+)  (\w+) +(.*)", line).groups()[:2]
            for line in screen(path, "logs", args)
            if re.match(r"\s*-?\d+  ", line)]
    expect("logs", ours, [(str(r.time), severity(r.severity))
                          for r in rows["logs"]])
    ours = [tuple(map(int, found.groups())) for found in
            (re.match(r"\s*(-?\d+)" + r"\s+(\d+)" * 4, line)
             for line in screen(path, "lost", args)) if found]
    expect("lost", sorted(ours), sorted(
        (r.begin, r.end - r.begin, r.frames, r.samples, r.bytes)
        for r in rows["losses"]))
    # Also unset counters; undefined counters are one for each id
    counters = set(capture.defined)
    for value in rows["values"]:
        if (value.pid, value.id) not in counters:
            counters.add((capture.owners.get(value.id), value.id))
    lines = screen(path, "counters", args)
    if counters and len(lines) - 1 != len(counters):
        raise Failed("counters: %d, and %d" % (len(lines) - 1, len(counters)))


def check(path, capture, want, rng):
    args = arguments(want, capture.begin)
    if not functions(path, capture, want, args, rng):
        return
    flame(path, capture, want, args)
    marks(path, capture, want, args)
    others(path, capture, want, args)
    if want.get("of", "samples") == "samples":
        inside(path, capture, want, args)


def main():
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    rng = random.Random(seed)
    print("SEED=%d" % seed)
    for path in PATHS:
        with open(path, "rb") as file:
            capture = Capture(file.read())
        want = {}
        try:
            check(path, capture, want, rng)
            for _ in range(FILTERS):
                want = pick(capture, rng)
                check(path, capture, want, rng)
        except Failed as failed:
            sys.exit("FAILED: %s with %s: %s" % (path, want, failed))
        print("%s: the same" % path)


main()
