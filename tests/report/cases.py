# SPDX-License-Identifier: BSD-2-Clause
"""cases.py CAPTURE PAGE N - filters in the page's form with the answers of an
independent reader, as JSON; SEED=N repeats a run."""
import json
import os
import random
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "..", "profile"),
                os.path.join(here, "..", "export")]

from answers import answer, marks_of  # noqa: E402
from capture import Capture  # noqa: E402
from compare import kinds, pick  # noqa: E402
from page import Page  # noqa: E402

SAME = {"function": "function", "drop": "drop", "focus": "focus",
        "hide-system": "hideSystem", "collapse-library": "library",
        "collapse-recursion": "recursion", "mark": "mark",
        "with-recording": "recording",
        "longer-than": "longer", "slowest": "slowest", "of": "of"}


def state_of(page, want):
    state = {SAME[key]: value for key, value in want.items() if key in SAME}
    for key in ("from", "to"):
        if key in want:
            state[key] = want[key] - page.base
    if want.get("of") in ("peak", "moment"):
        state["of"] = "live"
    if "moment" in want:
        state["moment"] = want["moment"] - page.base
    if "pid" in want or "thread" in want:
        state["threads"] = [
            number for number, (pid, tid) in enumerate(page.threads())
            if pid == want.get("pid", pid) and
            str(tid) == want.get("thread", str(tid))]
    return state


def case_of(capture, page, want):
    found = answer(capture, want)
    return {
        "want": want,
        "state": state_of(page, want),
        "samples": found["samples"],
        "total": found["total"],
        # The key of an inlined function has a third part
        "functions": sorted([key[0], key[1] or "", *sums]
                            for key, sums in found["functions"].items()),
        "folded": sorted([[[key[0], key[1] or ""] for key in stack], weight]
                         for stack, weight in found["folded"].items()),
        "threads": sorted([*who, weight]
                          for who, weight in found["threads"].items()),
        "slowest": [[m[0] - page.base, m[1]] for m in found["slowest"]],
    }


def main(path, page, n):
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    rng = random.Random(seed)
    print("SEED=%d" % seed, file=sys.stderr)
    with open(path, "rb") as file:
        capture = Capture(file.read())
    with open(page, encoding="utf-8") as file:
        page = Page(file.read())
    # All samples, and all stacks of each other kind
    cases = [case_of(capture, page, {"of": of} if of else {})
             for of in [None, *kinds(capture)]]
    while len(cases) <= int(n):
        want = pick(capture, rng)
        for key in ("reverse", "no-inlines"):  # these are not in an address
            want.pop(key, None)
        if "mark" in want and not marks_of(capture, want):
            continue
        if want.get("of") == "peak" and rng.randrange(2):
            want.update({"of": "moment",
                         "moment": rng.choice(capture.allocations).time})
        cases.append(case_of(capture, page, want))
    json.dump(cases, sys.stdout)


main(*sys.argv[1:])
