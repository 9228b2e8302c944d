# SPDX-License-Identifier: BSD-2-Clause
"""compare.py SYSCAP CAPTURE... - `syscap stat --json` against answers.py.

Without a filter, and with random filters and transformations; SEED=N repeats a
run.
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
    """Not a note such as [stack incomplete]: no expression matches a note, and
    an expression without a match is refused."""
    names = []
    while not names:
        names = [frame[0] for frame in rng.choice(capture.samples).frames
                 if not frame[0].startswith("[")]
    name = rng.choice(names)
    letters = "".join(c if c.isalnum() or c == "_" else "." for c in name)
    return rng.choice(["^%s$" % letters, letters[:4], letters,
                       "%s|^main" % letters])


def kinds(capture):
    """Amounts other than samples that the capture has."""
    return (["allocated", "leaked", "temporary", "peak"]
            if capture.allocations else []) + \
        sorted({"stalled" if is_stall else "blocked"
                for is_stall, _ in capture.waits})


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
    if kinds(capture):
        choices["of"] = rng.choice(kinds(capture))
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
        return # a filter by marks that do not exist is a reported error
    if ours == theirs:
        return
    print("%s differs with %s" % (path, want))
    for key, b in theirs.items():
        a = ours and ours[key]
        if a == b:
            continue
        if isinstance(a, dict) and isinstance(b, dict):
            a, b = ([item for item in one.items()
                     if item not in other.items()][:5]
                    for one, other in ((a, b), (b, a)))
        print("  %s: stat has %s" % (key, a))
        print("  %s: reader has %s" % (key, b))
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
        for of in kinds(capture):
            check(syscap, path, capture, {"of": of})
        for _ in range(N_FILTERS):
            check(syscap, path, capture, pick(capture, rng))
        print("%s: %d samples agree" % (path, len(capture.samples)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
