# SPDX-License-Identifier: BSD-2-Clause
"""compare.py SYSCAP CAPTURE... - `syscap stat --json` against answers.py.

Everything, and then random filters and transforms; SEED=N repeats a run.
"""
import json
import os
import random
import subprocess
import sys

from answers import answer
from capture import Capture

N_FILTERS = int(os.environ.get("FILTERS", "50"))


def key_of(function):
    return (function["name"], function["binary"]) + \
        (("inlined",) if function["is_inlined"] else ())


def ask(syscap, path, want, begin):
    args = [syscap, "stat", "--json", "--threads", "--tree", "--lines"]
    for option, value in want.items():
        if option in ("from", "to"):
            value = "%dns" % (value - begin)
        elif option == "longer-than":
            value = "%dns" % value
        args.append("--" + option)
        if value is not True:
            args.append(str(value))
    done = subprocess.run(args + [path], stdout=subprocess.PIPE)
    if done.returncode != 0:
        return None
    whole = json.loads(done.stdout)
    hot = whole["hot"]
    stacks, folded = {0: ()}, {}
    for node in hot["tree"]:
        stack = stacks[node["parent"]] + (key_of(node),)
        stacks[node["id"]] = stack
        if node["self"]:
            folded[stack] = node["self"]
    return {
        "unit": hot["unit"],
        "heap": whole.get("heap"),
        "samples": hot["samples"],
        "total": hot["total"],
        "recording": (hot["recording"], hot["recording_memory"]),
        "functions": {key_of(f): (f["self"], f["total"])
                      for f in hot["functions"]},
        "folded": folded,
        "lines": {key_of(row) + (row["file"], row["line"]): row["self"]
                  for row in whole["lines"]},
        "threads": {(t["pid"], t["tid"] if t["tid"] is not None else -1):
                    t["total"] for t in hot["threads"]},
        "slowest": [(m["time_ns"], m["duration_ns"], m["pid"],
                     -1 if m["tid"] is None else m["tid"], m["group"],
                     m["name"])
                    for m in whole.get("slowest_marks", [])],
    }


def pick_name(capture, rng):
    """Not of a note, as [stack incomplete]: nothing matches those, and what
    no function matches is refused."""
    names = []
    while not names:
        names = [frame[0] for frame in rng.choice(capture.samples).frames
                 if not frame[0].startswith("[")]
    name = rng.choice(names)
    letters = "".join(c if c.isalnum() or c == "_" else "." for c in name)
    return rng.choice(["^%s$" % letters, letters[:4], letters,
                       "%s|^main" % letters])


def pick(capture, rng):
    sample, mark = rng.choice(capture.samples), None
    if capture.marks:
        mark = rng.choice(capture.marks)
    binaries = [f[1] for f in sample.frames if f[1]]
    times = sorted(rng.choice(capture.samples).time for _ in range(2))
    choices = {
        "from": times[0], "to": times[1], "pid": sample.pid,
        "thread": str(sample.tid), "function": pick_name(capture, rng),
        "drop": pick_name(capture, rng), "focus": pick_name(capture, rng),
        "hide-system": True, "with-recording": True,
        "no-inlines": True, "collapse-recursion": True, "reverse": True,
    }
    if binaries:
        choices["collapse-library"] = rng.choice(
            [rng.choice(binaries), rng.choice(binaries)[:3] + "*", "*"])
    if capture.allocations:
        choices["of"] = rng.choice(["allocated", "leaked", "temporary", "peak"])
    if mark:
        choices["mark"] = rng.choice([mark.group,
                                      mark.group + "/" + mark.name])
    want = {key: choices[key]
            for key in rng.sample(sorted(choices), rng.randint(1, 4))}
    if "mark" in want and rng.random() < 0.5:
        want["longer-than"] = rng.choice([1, mark.duration])
    if "mark" in want and rng.random() < 0.5:
        want["slowest"] = rng.choice(["1", "5", "10%", "50%", "0.1%"])
    return want


def check(syscap, path, capture, want):
    ours = ask(syscap, path, want, capture.begin)
    theirs = answer(capture, want)
    if ours is None and "mark" in want and theirs["samples"] == 0:
        return # no such marks at all is an error, and said
    if ours == theirs:
        return
    print("%s differs with %s" % (path, want))
    for key in theirs:
        if ours is None or ours[key] != theirs[key]:
            print("  %s: stat has %s" % (key, ours and ours[key]))
            print("  %s: reader has %s" % (key, theirs[key]))
    sys.exit(1)


def main(syscap, paths):
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    rng = random.Random(seed)
    print("SEED=%d" % seed)
    for path in paths:
        with open(path, "rb") as file:
            capture = Capture(file.read())
        assert capture.samples, path
        check(syscap, path, capture, {})
        for _ in range(N_FILTERS):
            check(syscap, path, capture, pick(capture, rng))
        print("%s: %d samples agree" % (path, len(capture.samples)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
