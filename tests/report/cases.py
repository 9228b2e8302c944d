# SPDX-License-Identifier: BSD-2-Clause
"""cases.py CAPTURE PAGE N - filters as the page has them, with the answers of
a reader of its own, as JSON; SEED=N repeats a run."""
import json
import os
import random
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "..", "profile"),
                os.path.join(here, "..", "export")]

from answers import answer, marks_of  # noqa: E402
from capture import Capture  # noqa: E402
from compare import pick  # noqa: E402
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
        "functions": sorted([name, binary or "", *sums] for (name, binary),
                            sums in found["functions"].items()),
        "folded": sorted([[[n, b or ""] for n, b in stack], weight]
                         for stack, weight in found["folded"].items()),
        "threads": sorted([*who, weight]
                          for who, weight in found["threads"].items())
        if "of" not in want else None,
        "slowest": [[m[0] - page.base, m[1]] for m in found["slowest"]]
        if "of" not in want else None,
    }


def main(path, page, n):
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    rng = random.Random(seed)
    print("SEED=%d" % seed, file=sys.stderr)
    with open(path, "rb") as file:
        capture = Capture(file.read())
    with open(page, encoding="utf-8") as file:
        page = Page(file.read())
    cases = [case_of(capture, page, {})]
    while len(cases) <= int(n):
        want = pick(capture, rng)
        want.pop("reverse", None)
        if want.get("of") == "peak":  # the page has any moment in its place
            continue
        if "mark" in want and not marks_of(capture, want):
            continue
        cases.append(case_of(capture, page, want))
    json.dump(cases, sys.stdout)


main(*sys.argv[1:])
