# SPDX-License-Identifier: BSD-2-Clause
"""columns.py SYSCAP CAPTURE... - check of a page's columns by an independent
reader of the capture. Every sample, mark, value, log line, allocation and loss
agrees, without a filter and through random filters. SEED=N repeats a run."""
import collections
import os
import random
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "..", "profile"),
                os.path.join(here, "..", "export")]

from answers import (events, heap, is_inlined, marks_of,  # noqa: E402
                     passes, seen, transform)
from capture import Capture  # noqa: E402
from compare import pick  # noqa: E402
from page import Page  # noqa: E402

FOLDED = ("hide-system", "collapse-library", "collapse-recursion")


def arguments(want, begin):
    args = []
    for option, value in want.items():
        if option in ("from", "to"):
            value = "%dns" % (value - begin)
        elif option == "longer-than":
            value = "%dns" % value
        args += ["--" + option] + ([] if value is True else [str(value)])
    return args


def names(frames):
    return tuple((name, binary or "") for name, binary, _ in frames)


def expected(capture, want):
    inside = marks_of(capture, want) if "mark" in want else None
    found = collections.defaultdict(collections.Counter)
    for s in capture.samples:
        s = seen(s, want)
        # The page contains syscap's own code, which the user can show or hide.
        if passes(s, dict(want, **{"with-recording": True}), inside):
            found["samples"][s.time, s.pid, s.tid, s.ticks,
                             names(transform(s.frames, want))] += 1
    for is_stall, s in capture.waits:
        s = seen(s, want)
        if passes(s, dict(want, **{"with-recording": True}), inside):
            found["stalled" if is_stall else "blocked"][
                s.time, s.pid, s.tid, s.ticks,
                names(transform(s.frames, want))] += 1
    for row, views in heap(capture)[0]:
        row = seen(row, want)
        if passes(row, dict(want, **{"with-recording": True}), inside):
            fate, = views & {"leaked", "temporary", "freed"}
            found["allocations"][row.time, row.pid, row.tid, row.size, fate,
                                 names(transform(row.frames, want))] += 1
    rows = events(capture, want)
    for m in rows["rows"]:
        found["marks"][tuple(m)] += 1
    for v in rows["values"]:
        found["values"][v.time, v.pid, v.tid, v.id, v.bits] += 1
    for r in rows["logs"]:
        found["logs"][r.time, r.pid, r.tid, r.domain, r.message] += 1
    for r in rows["losses"]:
        found["losses"][r.begin, r.end, r.frames, r.samples, r.bytes] += 1
    found["operations"] = len(rows["operations"])
    found["arrows"] = len(rows["arrows"])
    return found


def shown(page):
    threads, found = page.threads(), collections.defaultdict(
        collections.Counter)
    for key, kind, tree in (("samples", "sample", "tree"),
                            ("blocked",) * 3, ("stalled",) * 3):
        if kind + ".times" not in page.columns:
            continue
        stacks = page.stacks(tree)
        for time, thread, node, ticks in zip(
                page.sums(kind + ".times"), page.numbers(kind + ".threads"),
                page.numbers(kind + ".nodes"), page.numbers(kind + ".ticks")):
            found[key][time, *threads[thread], ticks, stacks[node]] += 1
    if "heap.depths" in page.columns:
        stacks = page.stacks("heap")
    for time, thread, node, size, end, temporary in zip(
            page.sums("allocation.times"),
            page.numbers("allocation.threads"),
            page.numbers("allocation.nodes"),
            page.numbers("allocation.sizes"), page.numbers("allocation.lives"),
            page.numbers("allocation.temporary")):
        fate = "temporary" if temporary else "freed" if end else "leaked"
        found["allocations"][time, *threads[thread], size, fate,
                             stacks[node]] += 1
    groups = page.named("markname.groups")
    marks = page.named("markname.names")
    for time, duration, thread, name, message in zip(
            page.sums("mark.times"), page.numbers("mark.durations"),
            page.numbers("mark.threads"), page.numbers("mark.names"),
            page.named("mark.messages")):
        found["marks"][time, duration, *threads[thread], groups[name],
                       marks[name], message] += 1
    ids = page.numbers("counter.ids")
    for time, counter, bits, thread in zip(
            page.times("value.times"), page.numbers("value.counters"),
            page.numbers("value.bits"), page.numbers("value.threads")):
        found["values"][time, *threads[thread], ids[counter], bits] += 1
    for time, thread, domain, message in zip(
            page.times("log.times"), page.numbers("log.threads"),
            page.named("log.domains"), page.named("log.messages")):
        found["logs"][time, *threads[thread], domain, message] += 1
    for row in zip(page.times("loss.begins"), page.times("loss.ends"),
                   page.numbers("loss.frames"), page.numbers("loss.samples"),
                   page.numbers("loss.bytes")):
        found["losses"][row] += 1
    found["operations"] = len(page.numbers("operation.ids"))
    found["arrows"] = len(page.numbers("arrow.outs"))
    return found


def check(syscap, path, capture, want):
    done = subprocess.run(
        [syscap, "report", "-o", "-", *arguments(want, capture.begin), path],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        assert "mark" in want and not marks_of(capture, want), \
            (want, done.stderr)
        return
    page = Page(done.stdout.decode())
    # The page has no other data of the capture
    assert page.rest.count("<script") == 1 and "\u202e" not in page.rest
    ours, theirs = shown(page), expected(capture, want)
    for key, rows in theirs.items():
        if ours[key] == rows:
            continue
        print("%s: %s differ with %s" % (path, key, want))
        if not isinstance(rows, int):
            print("  page has", list((ours[key] - rows).items())[:3])
            print("  reader has", list((rows - ours[key]).items())[:3])
        sys.exit(1)


def check_amounts(page, capture):
    """Each line of a function, by itself and with its callees."""
    selfs, totals = collections.Counter(), collections.Counter()
    for sample in capture.samples:
        frames = seen(sample, {"with-recording": True}).frames
        rows = [(frame[0], frame[1] or "", is_inlined(frame), *frame.line)
                for frame in frames if frame.line]
        for row in set(rows):
            totals[row] += capture.weight(sample)
        if frames[-1].line:
            selfs[rows[-1]] += capture.weight(sample)
    names = list(zip(page.named("function.names"),
                     page.named("function.binaries"),
                     (bool(category & 16) for category in
                      page.numbers("function.categories"))))
    files = page.named("line.files")
    ours = {(*names[function], file, line): (self, total)
            for function, file, line, self, total in zip(
                page.numbers("line.functions"), files,
                page.numbers("line.numbers"), page.numbers("line.selfs"),
                page.numbers("line.totals"))}
    assert ours == {row: (selfs[row], total) for row, total in
                    totals.items()}, (ours, totals)
    # The sources that are readable here are in the page.
    texts = dict(zip(page.named("source.files"),
                     page.text_column("source.texts")))
    for file in set(files):
        if os.path.isfile(file) and file.endswith((".c", ".h")):
            with open(file, encoding="utf-8") as source:
                assert texts[file] == source.read(), file
        else:
            assert file not in texts, file


def check_lines(syscap, path, capture):
    """Inlined functions, and the most expensive line of each function."""
    done = subprocess.run([syscap, "report", "--source", "-o", "-", path],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=True)
    page = Page(done.stdout.decode())
    if not capture.lines:
        assert page.numbers("function.lines") == []
        return
    sums, most = collections.defaultdict(collections.Counter), {}
    for sample in capture.samples:
        for frame in seen(sample, {}).frames:
            if frame.line:
                sums[frame[0], frame[1] or "", is_inlined(frame)][
                    frame.line] += capture.weight(sample)
    for key, lines in sums.items():
        top = max(lines.values())
        most[key] = {line for line in lines if lines[line] == top}
    check_amounts(page, capture)
    n = 0
    for name, binary, category, file, line in zip(
            page.named("function.names"), page.named("function.binaries"),
            page.numbers("function.categories"),
            page.numbers("function.files"), page.numbers("function.lines")):
        key = (name, binary, bool(category & 16))
        where = (page.texts[file - 1], line) if file else None
        assert where in most.get(key, {None}), (key, where, most.get(key))
        n += where is not None
    assert n == len(most) and any(key[2] for key in most)


def main(syscap, paths):
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    rng = random.Random(seed)
    print("SEED=%d" % seed)
    for path in paths:
        with open(path, "rb") as file:
            capture = Capture(file.read())
        check(syscap, path, capture, {})
        check_lines(syscap, path, capture)
        for _ in range(int(os.environ.get("FILTERS", "15"))):
            want = pick(capture, rng)
            want.pop("of", None)
            want.pop("reverse", None)
            check(syscap, path, capture, want)
        print("%s: %d samples, %d waits, %d marks agree" % (
            path, len(capture.samples), len(capture.waits),
            len(capture.marks)))


main(sys.argv[1], sys.argv[2:])
