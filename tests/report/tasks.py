# SPDX-License-Identifier: BSD-2-Clause
"""tasks.py CAPTURE CULPRIT - the answers of the tasks in tasks.mjs, as JSON,
from the independent reader in tests/profile.  CULPRIT is the function that the
program makes slow; empty: unknown."""
import collections
import json
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "..", "profile")]

from answers import answer, joined, marks_of  # noqa: E402
from capture import Capture  # noqa: E402

FRAME = "gtk/frameclock cycle"


def is_named(name, binary):
    """Code without a name is named after its file or address."""
    return not name.startswith("0x") and not (
        binary and name.startswith(binary + "+0x"))


def amounts(capture, of):
    found = answer(capture, {"of": of})
    return {"total": found["total"],
            "functions": sorted([key[0], self] for key, (self, _)
                                in found["functions"].items() if self)}


def most(capture, of):
    functions = amounts(capture, of)["functions"]
    top = max((self for _, self in functions), default=0)
    return [name for name, self in functions if self == top]


def inside(capture, marks):
    """Self time of each function inside marks, for each mark."""
    sums = collections.Counter()
    for row in marks:
        want = {"from": row.time, "to": row.time + row.duration,
                "pid": row.pid}
        if row.tid >= 0:
            want["thread"] = str(row.tid)
        for (name, *_), (self, _) in answer(capture, want)["functions"].items():
            sums[name] += self
    return {name: self / len(marks) for name, self in sums.items() if self}


def slow_frames(capture):
    """The slowest 1 % of the frames, and their time in each function."""
    frames = marks_of(capture, {"mark": FRAME})
    if not frames:
        return None
    slow = marks_of(capture, {"mark": FRAME, "slowest": "1%"})
    return {"n": len(slow), "rest": len(frames) - len(slow),
            "durations": sorted(row.duration for row in slow),
            "selfs": inside(capture, slow)}


def counters(capture):
    """{"category: name": [[time, value], ...]} of each counter of a process."""
    found = collections.defaultdict(list)
    for value in capture.values:
        category, name, _, number = capture.typed(value)
        found["%s: %s" % (category, name)].append(
            [value.time - capture.begin, number])
    return found


def main(path, culprit):
    with open(path, "rb") as file:
        capture = Capture(file.read())
    samples = answer(capture, {})
    # Without notes, such as [no stack]
    selfs = {key: self for key, (self, _) in samples["functions"].items()
             if self and (key[1] or not key[0].startswith("["))}
    unnamed = collections.Counter()
    for (name, binary, *_), self in selfs.items():
        if not is_named(name, binary):
            unnamed[binary or "code of no file"] += self
    hottest = max(selfs.values(), default=0)
    names = sorted(key[0] for key, self in selfs.items() if self == hottest)
    durations = [row.duration for row in joined(capture) if row is not None]
    json.dump({
        "culprit": culprit,
        "total": samples["total"],
        "frames": slow_frames(capture),
        "allocated": most(capture, "allocated"),
        "blocked": amounts(capture, "blocked"),
        "durations": sorted(durations, reverse=True),
        "lost": sum(loss.frames for loss in capture.losses),
        "unnamed": unnamed.most_common(),
        "hottest": names,
        "lines": sorted([*key[-2:], self] for key, self in
                        samples["lines"].items() if key[0] == names[0])
        if names else [],
        "counters": counters(capture),
    }, sys.stdout)


main(*sys.argv[1:])
