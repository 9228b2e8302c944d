# SPDX-License-Identifier: BSD-2-Clause
"""cuts.py SYSCAP MANY [whole] - every command on every capture of the corpus,
and on a capture with all kinds of events, each truncated at 500 places. The
command ends by itself, and reports where the capture ends.  many.c has the
rules. adverse.py checks the output of the commands, for fewer captures.

Equal truncated captures are read once.  Without "whole" uses a random part of
the captures; SEED repeats the choice.
"""
import os
import random
import subprocess
import sys
import tempfile

import adverse

PLACES = 500
COMMANDS = adverse.COMMANDS + [
    ["symbolize", "-o", "/dev/null"], ["report", "-o", "/dev/null"],
    ["cat", "--force", "-q", "-o", "/dev/null"],
    ["cat", "--force", "-q", "-o", "/dev/null", adverse.SELF],
    ["flamegraph", "--diff", adverse.SELF]]


def all_cuts(scratch):
    story = os.path.join(scratch, "story")
    adverse.Story(n=50).write(story)
    paths = [story] + list(adverse.corpus())
    found = set()
    for path in paths:
        found.update(adverse.cuts(path, PLACES))
    return len(paths), sorted(found)


def start(many, commands, folder, cuts):
    """A process that runs these commands in turn."""
    os.mkdir(folder)
    with open(folder + ".list", "w", encoding="ascii") as file:
        for i, data in enumerate(cuts):
            path = os.path.join(folder, str(i))
            with open(path, "wb") as cut:
                cut.write(data)
            is_cut = len(data) >= 256 and not adverse.is_frame_end(data)
            file.write(("cut " if is_cut else "") + path + "\n")
    env = dict(os.environ, UBSAN_OPTIONS="exitcode=99:print_stacktrace=1",
               # A search for leaks takes longer than the command.
               ASAN_OPTIONS="detect_leaks=0:exitcode=99")
    with open(folder + ".list", encoding="ascii") as file:
        return subprocess.Popen([many, commands], stdin=file, env=env)


def main(many, is_whole):
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    print(f"SEED={seed}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        commands = os.path.join(scratch, "commands")
        with open(commands, "w", encoding="utf-8") as file:
            for words in COMMANDS:
                file.write("\x1f".join(words) + "\n")
        n, cuts = all_cuts(scratch)
        random.Random(seed).shuffle(cuts)
        print(f"{n} captures, {len(cuts)} different cuts", flush=True)
        if not is_whole:
            cuts = cuts[:int(os.environ.get("CUTS", "30"))]
        n = os.cpu_count() if is_whole else 1
        runs = [start(many, commands, os.path.join(scratch, f"part{i}"),
                      cuts[i::n]) for i in range(n)]
        sys.exit(any([run.wait() for run in runs]))


main(sys.argv[2], "whole" in sys.argv[3:])
