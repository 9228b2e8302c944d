# SPDX-License-Identifier: BSD-2-Clause
"""bounded.py SYSCAP FOLDER - a page of bounded size: every sample is there, and
of each name marks and bars together are as many, and as long, as were recorded;
its slowest are there one by one."""
import collections
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "..", "export")]

from page import Page  # noqa: E402
from story import BEGIN, Story  # noqa: E402

N = 120000


def make(path):
    story = Story(n=500)
    rng = story.rng
    durations = collections.defaultdict(list)
    for i in range(N):
        pid, tid = story.threads[i % 3]
        name = rng.choice(("turn", "paint", "parse"))
        duration = rng.randrange(1, 40000) if i % 500 else 9_000_000 + i
        story.mark(pid, tid, BEGIN + i * 50000, duration, "app", name,
                   "message %d" % i)
        durations["app", name].append(duration)
    story.write(path)
    return durations


def main(syscap, folder):
    path = os.path.join(folder, "many.syscap")
    durations = make(path)

    def report(*options):
        done = subprocess.run([syscap, "report", "-o", "-", *options, path],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode(), done.stderr.decode()

    html, said = report("--max-size", "80")
    assert "summed" not in said and '"bar.sums"' not in html
    whole = Page(html)
    html, said = report("--max-size", "1")
    assert "are combined" in said, said
    assert len(html) <= 1 << 20, len(html)
    page = Page(html)
    for column in ("sample.times", "sample.nodes", "sample.ticks",
                   "value.bits", "log.times"):
        assert page.columns[column] == whole.columns[column], column
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
    print("%d of %d marks summed up in %d bars, %d characters" % (
        left_out, N, len(page.numbers("bar.sums")), len(html)))


main(*sys.argv[1:])
