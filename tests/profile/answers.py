# SPDX-License-Identifier: BSD-2-Clause
"""answers.py - filters, transforms and sums, according to their definitions.

One sample and one frame at a time: slow, but short enough to be checked by
reading.  A filter is a dict with the long options as keys.
"""
import bisect
import collections
import fnmatch
import math
import re

from capture import EXPLANATIONS, SYSTEM, Frame, is_syscap_code


def is_looked_at(capture, mark, want):
    """A mark of an unknown thread belongs to every thread of its process."""
    thread = want.get("thread", str(mark.tid))
    return thread == str(mark.tid) or mark.tid < 0 and any(
        other.pid == mark.pid and str(other.tid) == thread
        for events in (capture.samples, capture.marks) for other in events)


def joined(capture):
    """The marks as rows of tables: an operation's begin has the duration, and
    its end is None, as are parts of operations before the recording."""
    if not hasattr(capture, "joined"):
        operations, _, before = linked(capture)
        capture.joined = [None if number in before else mark
                          for number, mark in enumerate(capture.marks)]
        for begin, to, parts in operations:
            first, last = parts[0], parts[-1]
            if first != last and all(
                    "phase=" + phase in capture.marks[number].message
                    for number, phase in ((first, "begin"), (last, "end"))):
                capture.joined[first] = capture.marks[first]._replace(
                    duration=to - begin)
                capture.joined[last] = None
    return capture.joined


def overlaps(want, m):
    """A mark of 0 ns is at its time."""
    begin = want.get("from", m.time)
    return m.time < want.get("to", m.time + 1) and (
        m.time >= begin or m.time + max(m.duration, 0) > begin)


def marks_of(capture, want):
    group, _, name = want["mark"].partition("/")
    found = [m for m in joined(capture)
             if m is not None and m.group == group and name in ("", "*", m.name)
             and m.duration >= want.get("longer-than", 0)
             and overlaps(want, m)
             and m.pid == want.get("pid", m.pid)
             and is_looked_at(capture, m, want)]
    found.sort(key=lambda m: (-m.duration, m.time))
    slowest = want.get("slowest")
    if slowest is None:
        return found
    if slowest.endswith("%"):
        return found[:math.ceil(len(found) * float(slowest[:-1]) / 100)]
    return found[:int(slowest)]


def has(frames, pattern):
    return any((category != "note" or name in EXPLANATIONS) and
               re.search(pattern, name) for name, _, category in frames)


def split(frames):
    """Frames of the program, and frames of syscap at the end of the stack.
    Other frames of syscap are omitted."""
    program, own = [], []
    for frame in frames:
        if frame[2].split()[-1] == "recording" or (own and (
                frame[1] == "[vdso]" or is_inlined(frame))):
            own.append(frame)
        else:
            program.append(frame)
            own = []
    return program, own


# Replacements of the allocator's functions, found by symbol table or by export.
ALLOCATOR = set(
    "malloc calloc realloc reallocarray free free_sized free_aligned_sized "
    "posix_memalign aligned_alloc memalign valloc pvalloc mmap mmap64 munmap "
    "mremap malloc_seen calloc_seen realloc_seen free_seen map_seen "
    "unmap_seen move_seen".split())


def is_own_end(row):
    return bool(split(row.frames)[1])


def passes(sample, want, inside):
    program, own = split(sample.frames)
    frames = program + own
    if own and "with-recording" not in want:
        return False
    if not want.get("from", sample.time) <= sample.time < \
            want.get("to", sample.time + 1):
        return False
    if want.get("pid", sample.pid) != sample.pid or \
            want.get("thread", str(sample.tid)) != str(sample.tid):
        return False
    for option in ("function", "focus"):
        if option in want and not has(frames, want[option]):
            return False
    if "drop" in want and has(frames, want["drop"]):
        return False
    return inside is None or any(
        m.pid == sample.pid and m.tid in (-1, sample.tid) and
        m.time <= sample.time < m.time + m.duration for m in inside)


def is_inlined(frame):
    return frame[2].startswith("inlined ")


def key_of(frame):
    """A function that is inlined in one place and not in another counts as
    two."""
    return frame[:2] + (("inlined",) if is_inlined(frame) else ())


def seen(sample, want):
    """With or without inlined functions."""
    frames = sample.frames
    if "no-inlines" in want:
        frames = [f for f in frames if not is_inlined(f)]
    program, own = split(frames)
    return sample._replace(frames=tuple(program + own))


def transform(frames, want):
    program, own = split(frames)
    frames = program + own
    if "focus" in want:
        while not has(frames[:1], want["focus"]):
            frames.pop(0)
    if "hide-system" in want:
        frames = [f for f in frames
                  if f[2].split()[-1] not in ("system", "kernel")]
    result = []
    for old in frames:
        name, binary, category = old
        is_whole = False
        # A copy of syscap in the program does not count as the program.
        is_copy = category.split()[-1] == "recording" and \
            not is_syscap_code("", binary)
        if "collapse-library" in want and binary and not is_copy and \
                fnmatch.fnmatchcase(binary, want["collapse-library"]):
            name, is_whole = "[%s]" % binary, True
            category = category.split()[-1]
        frame = Frame((name, binary, category))
        if not is_whole:
            frame.line = old.line
        if result and key_of(result[-1]) == key_of(frame) and \
                (is_whole or "collapse-recursion" in want):
            continue
        result.append(frame)
    return result or [SYSTEM]


def heap(capture):
    """((allocation, its views) for each allocation, totals)"""
    if not hasattr(capture, "heap"):
        capture.heap = find_fates(capture)
    return capture.heap


def find_fates(capture):
    rows = sorted(enumerate(capture.allocations),
                  key=lambda row: (row[1].time, row[0]))
    live, latest, fate = {}, {}, {}
    begins, ends = {}, {}  # places in the order of time
    capture.freed = {}  # times of ends
    for place, (number, row) in enumerate(rows):
        before = live.pop((row.pid, row.address), None)
        if before is not None:
            ends[before] = place
            capture.freed[before] = row.time
            fate[before] = "temporary" if row.size <= 0 and \
                latest[capture.allocations[before][1:3]] == before and \
                row[1:3] == capture.allocations[before][1:3] else "freed"
        if row.size > 0:
            live[row.pid, row.address] = latest[row[1:3]] = number
            begins[number] = place
    # A process that ends gives back the memory that it leaked
    times = [row.time for _, row in rows]
    for number in set(begins) - set(ends):
        row = capture.allocations[number]
        exits = [exit for exit in capture.exits[row.pid] if exit >= row.time]
        if exits:
            ends[number] = max(begins[number],
                               bisect.bisect_left(times, min(exits)))
    changes = collections.Counter()
    for number, place in begins.items():
        size = capture.allocations[number].size
        changes[place] += size
        if number in ends:
            changes[ends[number]] -= size
    now = peak = 0
    peak_time = peak_place = None
    for place, (_, row) in enumerate(rows):
        now += changes[place]
        if now > peak:
            peak, peak_time, peak_place = now, row.time, place
    made = [(row, {"allocated", fate.get(number, "leaked"),
                   "peak" if begins[number] <= peak_place <
                   ends.get(number, len(rows)) else None})
            for number, row in enumerate(capture.allocations) if row.size > 0]
    sums = {"allocations": len(made), "bytes": sum(r.size for r, _ in made),
            "frees": len(rows) - len(made), "peak_bytes": peak,
            "peak_ns": peak_time, "sample_bytes": None, "is_cut": False,
            "is_begin_cut": False}
    for what in ("leaked", "temporary"):
        sums[what] = sum(what in views for _, views in made)
        sums[what + "_bytes"] = sum(r.size for r, views in made
                                    if what in views)
    return made, sums


def rows_of(capture, want):
    """The rows of a view with their weights, and the unit."""
    of = want.get("of", "samples")
    if of == "samples":
        return [(s, capture.weight(s)) for s in capture.samples], capture.unit
    if of in ("blocked", "stalled"):
        return [(row, row.ticks) for is_stall, row in capture.waits
                if is_stall == (of == "stalled")], "wall_ns"
    made, _ = heap(capture)
    if of == "moment":
        moment = want["moment"]
        return [(row, row.size) for number, row in
                enumerate(capture.allocations) if row.size > 0 and row.time <=
                moment < capture.freed.get(number, moment + 1)], "bytes"
    return [(row, row.size) for row, views in made if of in views], "bytes"


def answer(capture, want):
    """Sums by function, and by stack after the transformations."""
    inside = marks_of(capture, want) if "mark" in want else None
    selfs, totals = collections.Counter(), collections.Counter()
    folded, threads = collections.Counter(), collections.Counter()
    lines = collections.Counter()
    total = n = recording = for_memory = 0
    rows, unit = rows_of(capture, want)
    for sample, weight in rows:
        sample = seen(sample, want)
        if is_own_end(sample) and passes(
                sample, dict(want, **{"with-recording": True}), inside):
            recording += weight
            if split(sample.frames)[1][0][0] in ALLOCATOR:
                for_memory += weight
        if not passes(sample, want, inside):
            continue
        whole = transform(sample.frames, want)
        frames = [key_of(f) for f in whole]
        if whole[-1].line:
            lines[frames[-1] + whole[-1].line] += weight
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
        "unit": unit,
        "heap": heap(capture)[1] if capture.allocations else None,
        "samples": n,
        "total": total,
        "recording": (recording, for_memory),
        "functions": {f: (selfs[f], totals[f]) for f in totals},
        "folded": dict(folded),
        "lines": dict(lines),
        "threads": dict(threads),
        "slowest": [tuple(m[:6]) for m in inside or []],
    }


# ------------------------------------------------- events without a stack

def covers(want, time, pid, tid):
    return want.get("from", time) <= time < want.get("to", time + 1) and \
        want.get("pid", pid) == pid and \
        want.get("thread", str(tid)) == str(tid)


LINK = re.compile(r"(?:async=(0|[1-9a-f][0-9a-f]{0,15}) "
                  r"phase=(whole|begin|step|end)|"
                  r"flow=(0|[1-9a-f][0-9a-f]{0,15}) phase=(out|in))(?: |$)")


def linked(capture):
    """[(from, to, marks)] of operations, [(out, in)] of arrows, and the parts
    of operations that ended before the recording, by number of the mark, as
    docs/marks.md defines them."""
    operations, arrows, before = [], [], set()
    turns, ids = {}, collections.defaultdict(list)
    for number, mark in enumerate(capture.marks):
        found = LINK.match(mark.message)
        if not found:
            continue
        phase = found.group(2) or found.group(4)
        if phase == "whole":
            operations.append([mark.time, mark.time + mark.duration, [number]])
        elif found.group(1) is not None:
            ids["async", mark.group, found.group(1), mark.pid].append(
                (capture.began[number], number, phase))
        else:
            time = (mark.time + mark.duration if phase == "out"
                    else capture.began[number])
            ids["flow", mark.group, found.group(3)].append(
                (time, number, phase))
    for key, parts in ids.items():
        parts.sort()
        current, out, since = None, None, capture.begin
        for time, number, phase in parts:
            if phase == "out":
                out = number
            elif phase == "in":
                if out is not None:
                    arrows.append((out, number))
            elif phase == "step":
                if current:
                    current[2].append(number)
            elif phase == "begin":
                if current:
                    current[1] = time
                    since = max(time, capture.begin)
                current = [time, None, [number]]
                operations.append(current)
            else:
                if not current and time < capture.begin:
                    before.add(number)
                elif not current:
                    operations.append([min(since, time), time, [number]])
                else:
                    current[1] = time
                    current[2].append(number)
                since, current = max(time, capture.begin), None
    # An operation that began before the recording is cut, or is outside.
    inside = []
    for begin, to, parts in operations:
        if begin < capture.begin and to is not None and to <= capture.begin:
            before.update(parts)
        else:
            inside.append([max(begin, capture.begin), to, parts])
    return inside, arrows, before


def has_mark(want, mark):
    return overlaps(want, mark) and covers(
        {k: want[k] for k in want if k in ("pid", "thread")}, mark.time,
        mark.pid, mark.tid)


def events(capture, want):
    """Marks, values, ... that pass, as unordered lists."""
    rows = joined(capture)
    operations, arrows, before = linked(capture)
    marks = [number not in before and has_mark(want, rows[number] or mark)
             for number, mark in enumerate(capture.marks)]
    pids = {row.pid for rows in (capture.samples, capture.marks,
                                 capture.values, capture.logs)
            for row in rows if covers(dict(want, **{"from": row.time,
                                                    "to": row.time + 1}),
                                      row.time, row.pid, row.tid)}
    return {
        "marks": [m for number, m in enumerate(capture.marks)
                  if number not in before and has_mark(want, m)],
        "rows": [m for m, ok in zip(rows, marks) if ok and m is not None],
        "operations": [o for o in operations if any(marks[n] for n in o[2])],
        "arrows": [a for a in arrows if marks[a[0]] and marks[a[1]]],
        "values": [v for v in capture.values
                   if covers(want, v.time, v.pid, v.tid)],
        "logs": [row for row in capture.logs
                 if covers(want, row.time, row.pid, row.tid)],
        "losses": [row for row in capture.losses
                   if row.end >= want.get("from", row.end) and
                   row.begin < want.get("to", row.begin + 1) and
                   (covers({k: want[k] for k in want
                            if k in ("pid", "thread")}, 0, row.pid, row.tid) or
                    (row.tid == -1 and row.pid in pids))],
    }
