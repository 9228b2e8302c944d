# SPDX-License-Identifier: BSD-2-Clause
"""adverse.py SYSCAP FOLDER [whole] - pages of fuzzers' findings, of extreme or
truncated captures, and of names with markup. Writes the pages into FOLDER, and
their list to standard output.

`report` ends with 0, or with 1 and a reason; the page has all readable data.
Without "whole" uses the names with markup and FEW of the captures at random; SEED
repeats the choice."""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "profile"))
import adverse as profile  # noqa: E402

FOLDER = os.path.abspath(sys.argv[2])
FEW = 8


def captures(rng):
    """Paths of all captures, and of randomly truncated captures of the
    corpus."""
    found = []
    everything = list(profile.extremes())
    for path in profile.corpus():
        with open(path, "rb") as file:
            data = file.read()
        number = len(found) + len(everything)
        everything += [("corpus%d" % number, data),
                       ("cut%d" % number, data[:rng.randrange(len(data) + 1)])]
    for name, data in everything:
        found.append(os.path.join(FOLDER, name))
        with open(found[-1], "wb") as file:
            file.write(data)
    return found


def main():
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    print("SEED=%d" % seed, file=sys.stderr)
    rng = random.Random(seed)
    paths = captures(rng)
    if len(paths) < 50:
        raise profile.Failed("there is no corpus")
    if not profile.WHOLE:
        paths = [os.path.join(FOLDER, "hostile")] + rng.sample(paths, FEW)
    for path in paths:
        done = profile.run(["report", "-o", path + ".html"], path)
        if os.path.exists(path + ".html"):
            print(path + ".html")
        elif done.returncode == 0:
            raise profile.Failed("%s: there is no page" % path)


try:
    main()
except profile.Failed as failed:
    sys.exit("FAILED: %s" % failed)
