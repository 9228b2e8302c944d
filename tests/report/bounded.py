# SPDX-License-Identifier: BSD-2-Clause
"""bounded.py SYSCAP FOLDER - a page of bounded size has every sample. For each
name, marks and bars together have the recorded number and duration, and the
slowest marks are single marks.  With allocations, values and messages, too, the
page keeps its size and all sums."""
import bisect
import collections
import os
import struct
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "..", "export")]

from page import Page  # noqa: E402
from story import BEGIN, Story  # noqa: E402

N = 120000


def add_marks(story):
    durations = collections.defaultdict(list)
    for i in range(N):
        pid, tid = story.threads[i % 3]
        name = story.rng.choice(("turn", "paint", "parse"))
        duration = story.rng.randrange(1, 40000) if i % 500 else 9_000_000 + i
        story.mark(pid, tid, BEGIN + i * 50000, duration, "app", name,
                   "message %d" % i)
        durations["app", name].append(duration)
    return durations


def add_events(story):
    """Allocations of three threads, most of them freed; values; messages."""
    rng, events, values = story.rng, [], []
    story.frames = [f for f in story.frames if f[16] != 14]
    for i in range(N):
        pid, tid = story.threads[i % 2]
        time = BEGIN + i * 50000
        size = rng.randrange(1, 5000)
        stack = [0] + [rng.randrange(8) for _ in range(rng.randrange(1, 4))]
        end = None if rng.random() < .1 else time + rng.randrange(
            1, 10 ** rng.randrange(3, 9))
        story.frame(14, pid, time, 0, struct.pack(
            "<QqiHH%dQ" % len(stack), 0x10000 + i * 16, size, tid, len(stack),
            0, *[story.address(f) for f in stack]))
        if end is not None:
            story.frame(14, pid, end, 0, struct.pack(
                "<QqiHHQ", 0x10000 + i * 16, 0, tid, 1, 0, story.address(1)))
        events.append((time, end, size, tid, tuple(reversed(
            [story.names[f] for f in stack]))))
        number = rng.randrange(1 << 40)
        story.frame(9, 10, time, 0, struct.pack("<HHI", 1, 0, 0) +
                    struct.pack("<8Iq56x", 7, *[0] * 7, number))
        values.append(number)
    for i in range(N // 10):
        story.frame(12, 20, BEGIN + i * 500000, 0, struct.pack(
            "<HHI", 1 << (4 if i % 100 == 0 else 7), 0, 0) +
            b"app".ljust(32, b"\0") + b"line %d of the log\0" % i)
    return events, values


def live_at(events, moments):
    changes = sorted([(e[0], e[2]) for e in events] +
                     [(e[1], -e[2]) for e in events if e[1] is not None])
    times, sums, live = [], [], 0
    for time, change in changes:
        live += change
        times.append(time)
        sums.append(live)
    return [sums[bisect.bisect_right(times, m) - 1] for m in moments], max(sums)


def check_heap(page, events):
    cell = int(page.limits["heap_cell"])
    shift = int(page.limits["heap_shift"])
    assert cell > 0
    rows = list(zip(page.sums("allocation.times"),
                    page.numbers("allocation.lives"),
                    page.numbers("allocation.lives.high"),
                    page.numbers("allocation.sizes"),
                    page.numbers("allocation.counts"),
                    page.numbers("allocation.threads"),
                    page.numbers("allocation.nodes"),
                    page.numbers("allocation.temporary")))
    assert sum(row[4] for row in rows) == len(events) == int(
        page.limits["n_allocations"])
    stacks, threads = page.stacks("heap"), page.threads()
    found, want = collections.Counter(), collections.Counter()
    for _, low, high, size, n, thread, node, _ in rows:
        found[threads[thread][1], tuple(f[0] for f in stacks[node]),
              low + high == 0] += size
    for _, end, size, tid, stack in events:
        want[tid, stack, end is None] += size
    assert found == want
    # In use at the end of each cell, and at the peak
    kept = [(time, None if low + high == 0 else time + low + (high << 32) - 1,
             size) for time, low, high, size, *_ in rows]
    begin = page.base + int(page.limits["in_use_begin"])
    moments = [page.base + k * cell - shift - 1 for k in range(
        1, (events[-1][0] - page.base) // cell)]
    assert len(moments) > 10, cell
    ours, _ = live_at(kept, moments)
    theirs, peak = live_at(events, moments)
    assert ours == theirs
    moment = page.base + int(page.limits["peak_time"])
    assert live_at(kept, [moment])[0] == [peak]
    size, least = int(page.limits["in_use_cell"]), page.numbers("inuse.least")
    most, last = page.numbers("inuse.most"), page.numbers("inuse.last")
    assert max(most) == peak
    ends = [begin + (k + 1) * size - 1 for k in range(len(last))]
    assert live_at(events, ends)[0] == last
    for k in range(len(last)):
        assert least[k] <= last[k] <= most[k]


def check_all(report, folder):
    """A page of 1 MiB: check the omitted share of each kind of data."""
    path = os.path.join(folder, "all.syscap")
    story = Story(n=100)
    events, values = add_events(story)
    durations = add_marks(story)
    story.write(path)
    html, said = report(path, "--max-size", "1")
    assert len(html) <= 1 << 20, len(html)
    for text in ("combined allocations of one stack", "shorter marks",
                 "counter values omitted", "the page thus stays"):
        assert text in said, said
    page = Page(html)
    check_heap(page, events)
    check_marks(page, durations)
    names = page.named("counter.names")
    kept = [bits for number, bits in zip(page.numbers("value.counters"),
                                         page.numbers("value.bits"))
            if names[number].startswith("heap")]
    assert min(values) in kept and max(values) in kept
    assert int(page.limits["n_values"]) > len(page.numbers("value.bits"))
    severities = page.numbers("log.severities")
    if len(severities) < int(page.limits["n_logs"]):
        assert "less severe log messages omitted" in said, said
        assert severities.count(2) >= min(N // 1000, len(severities))


def check_marks(page, durations):
    """Returns the number of marks in bars."""
    names = list(zip(page.named("markname.groups"),
                     page.named("markname.names")))
    kept = collections.defaultdict(list)
    for name, duration, message in zip(page.numbers("mark.names"),
                                       page.numbers("mark.durations"),
                                       page.named("mark.messages")):
        kept[names[name]].append(duration)
        if names[name][0] == "app" and names[name] in durations:
            assert message.startswith("message "), message
    bars = collections.defaultdict(lambda: [0, 0])
    for name, n, total in zip(page.numbers("bar.names"),
                              page.numbers("bar.counts"),
                              page.numbers("bar.sums")):
        bars[names[name]][0] += n
        bars[names[name]][1] += total
    left_out = 0
    for name, all_of in durations.items():
        n, total = bars[name]
        left_out += n
        assert len(kept[name]) + n == len(all_of), name
        assert sum(kept[name]) + total == sum(all_of), name
        slow = len(all_of) // 100
        assert sorted(kept[name])[-slow:] == sorted(all_of)[-slow:], name
        row = names.index(name)
        ranked = sorted(all_of)
        for column, value in (
                ("counts", len(all_of)), ("sums", sum(all_of)),
                ("least", ranked[0]), ("most", ranked[-1]),
                ("medians", ranked[-(-len(all_of) * 50 // 100) - 1]),
                ("p99s", ranked[-(-len(all_of) * 99 // 100) - 1])):
            found = page.numbers("markname." + column)[row]
            assert found == value, (name, column, found, value)
    longest = sorted(d for all_of in durations.values() for d in all_of)
    assert sorted(d for all_of in kept.values()
                  for d in all_of)[-200:] == longest[-200:]
    return left_out


def main(syscap, folder):
    path = os.path.join(folder, "many.syscap")
    story = Story(n=500)
    durations = add_marks(story)
    story.write(path)

    def report(path, *options):
        done = subprocess.run([syscap, "report", "-o", "-", *options, path],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode(), done.stderr.decode()

    html, said = report(path, "--max-size", "80")
    assert "combined" not in said and '"bar.sums"' not in html
    whole = Page(html)
    html, said = report(path, "--max-size", "1")
    assert "combined" in said, said
    assert len(html) <= 1 << 20, len(html)
    page = Page(html)
    for column in ("sample.times", "sample.nodes", "sample.ticks",
                   "value.bits", "log.times"):
        assert page.columns[column] == whole.columns[column], column
    print("%d of %d marks summed up in %d bars, %d characters" % (
        check_marks(page, durations), N, len(page.numbers("bar.sums")),
        len(html)))
    check_all(report, folder)


main(*sys.argv[1:])
