# SPDX-License-Identifier: BSD-2-Clause
"""pair.py SYSCAP BEFORE AFTER - in a page of two captures is all of the one, and
of the other what each stack took, as a reader of its own finds it."""
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
    assert page.facts["other"] == os.path.basename(before)
    names = list(zip(page.named("function.names"),
                     page.named("function.binaries")))
    assert len(set(names[5:])) == len(names) - 5, "a function is there twice"
    print("%d stacks of %s beside %s" % (len(ours), before, after))


def main(syscap, before, after):
    check(syscap, before, after, {})
    check(syscap, after, before, {})
    check(syscap, before, after, {"drop": "parse"}, "--drop", "parse")
    done = subprocess.run([syscap, "report", "-o", before, after, before],
                          stderr=subprocess.PIPE)
    assert done.returncode == 2, "a capture was nearly overwritten"


main(*sys.argv[1:])
