# SPDX-License-Identifier: BSD-2-Clause
"""pair.py SYSCAP BEFORE AFTER - check of a page of two captures. The page has
all data of AFTER, and the cost of each stack of BEFORE, as an independent
reader finds."""
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "..", "profile"),
                os.path.join(here, "..", "export")]

from answers import answer  # noqa: E402
from capture import Capture  # noqa: E402
from page import Page  # noqa: E402


def folded(page, tree, selfs):
    sums = {}
    for stack, self in zip(page.stacks(tree), selfs):
        if self:
            sums[stack] = sums.get(stack, 0) + self
    return sums


def check(syscap, before, after, want, *options):
    html = subprocess.run([syscap, "report", "-o", "-", *options, before,
                           after], stdout=subprocess.PIPE, check=True).stdout
    page = Page(html.decode())
    with open(before, "rb") as file:
        found = answer(Capture(file.read()), dict(
            want, **{"with-recording": True}))["folded"]
    expected = {tuple((name, binary or "") for name, binary in stack): weight
                for stack, weight in found.items()}
    ours = folded(page, "other", page.numbers("other.selfs"))
    assert ours == expected, (want, list(ours.items())[:2],
                              list(expected.items())[:2])
    # Ten blocks of equal amounts have all of it
    rows = page.numbers("other.nodes"), page.numbers("other.ticks")
    blocks = {}
    for node, ticks in zip(*rows):
        blocks[node] = blocks.get(node, 0) + ticks
    selfs = page.numbers("other.selfs")
    assert blocks == {n: self for n, self in enumerate(selfs) if self}
    assert len(set(page.sums("other.times"))) <= 10
    assert sum(page.numbers("other.counts")) >= len(set(rows[0]))
    assert page.facts["other"] == os.path.basename(before)
    units = [Capture(open(path, "rb").read()).unit for path in (after, before)]
    assert page.facts["incomparable"].startswith(
        "this capture counts ") == (units[0] != units[1]), units
    names = list(zip(page.named("function.names"),
                     page.named("function.binaries")))
    assert len(set(names[5:])) == len(names) - 5, "duplicate function"
    print("%d stacks of %s (%s) beside %s (%s)" % (
        len(ours), before, units[1], after, units[0]))


def main(syscap, before, after):
    check(syscap, before, after, {})
    check(syscap, after, before, {})
    check(syscap, before, after, {"drop": "parse"}, "--drop", "parse")
    # Wall time is not compared with processor time
    with open(after, "rb") as file:
        data = file.read()
    clock = b" of its processor time"
    assert clock in data
    wall = after + ".wall"
    with open(wall, "wb") as file:
        file.write(data.replace(clock, b", asleep or not".ljust(len(clock))))
    check(syscap, before, wall, {})
    done = subprocess.run([syscap, "report", "-o", before, after, before],
                          stderr=subprocess.PIPE)
    assert done.returncode == 2, "the command would overwrite a capture"


main(*sys.argv[1:])
