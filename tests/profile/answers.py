# SPDX-License-Identifier: BSD-2-Clause
"""answers.py - filters, transforms and sums, by what they are defined as.

One sample at a time and one frame at a time: slow, and short enough to be
believed.  A filter is a dict with the long options as keys.
"""
import collections
import fnmatch
import math
import re

from capture import SYSTEM


def marks_of(capture, want):
    group, _, name = want["mark"].partition("/")
    found = [m for m in capture.marks
             if m.group == group and name in ("", "*", m.name)
             and m.duration >= want.get("longer-than", 0)
             and m.time >= want.get("from", m.time)
             and m.time < want.get("to", m.time + 1)
             and m.pid == want.get("pid", m.pid)
             and want.get("thread", str(m.tid)) == str(m.tid)]
    found.sort(key=lambda m: (-m.duration, m.time))
    slowest = want.get("slowest")
    if slowest is None:
        return found
    if slowest.endswith("%"):
        return found[:math.ceil(len(found) * float(slowest[:-1]) / 100)]
    return found[:int(slowest)]


def has(frames, pattern):
    return any(category != "note" and re.search(pattern, name)
               for name, _, category in frames)


def passes(sample, want, inside):
    if not want.get("from", sample.time) <= sample.time < \
            want.get("to", sample.time + 1):
        return False
    if want.get("pid", sample.pid) != sample.pid or \
            want.get("thread", str(sample.tid)) != str(sample.tid):
        return False
    for option in ("function", "focus"):
        if option in want and not has(sample.frames, want[option]):
            return False
    if "drop" in want and has(sample.frames, want["drop"]):
        return False
    return inside is None or any(
        m.pid == sample.pid and m.tid in (-1, sample.tid) and
        m.time <= sample.time < m.time + m.duration for m in inside)


def transform(frames, want):
    frames = list(frames)
    if "focus" in want:
        while not has(frames[:1], want["focus"]):
            frames.pop(0)
    if "hide-system" in want:
        frames = [f for f in frames if f[2] not in ("system", "kernel")]
    result = []
    for name, binary, category in frames:
        is_whole = False
        if "collapse-library" in want and binary and \
                fnmatch.fnmatchcase(binary, want["collapse-library"]):
            name, is_whole = "[%s]" % binary, True
        frame = (name, binary, category)
        if result and result[-1][:2] == frame[:2] and \
                (is_whole or "collapse-recursion" in want):
            continue
        result.append(frame)
    return result or [SYSTEM]


def answer(capture, want):
    """Sums by function, and by stack after the transforms."""
    inside = marks_of(capture, want) if "mark" in want else None
    selfs, totals = collections.Counter(), collections.Counter()
    folded, threads = collections.Counter(), collections.Counter()
    total = n = 0
    for sample in capture.samples:
        if not passes(sample, want, inside):
            continue
        frames = [f[:2] for f in transform(sample.frames, want)]
        weight = capture.weight(sample)
        n += 1
        total += weight
        selfs[frames[-1]] += weight
        for function in set(frames):
            totals[function] += weight
        threads[sample.pid, sample.tid] += weight
        if "reverse" in want:
            frames.reverse()
        folded[tuple(frames)] += weight
    return {
        "unit": capture.unit,
        "samples": n,
        "total": total,
        "functions": {f: (selfs[f], totals[f]) for f in totals},
        "folded": dict(folded),
        "threads": dict(threads),
        "slowest": [tuple(m) for m in inside or []],
    }
