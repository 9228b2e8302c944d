# SPDX-License-Identifier: BSD-2-Clause
"""foremost.py SYSCAP FILE - the thread whose flame chart opens first: that
with most processor time. With wall time, which sleeping threads have too, it is
the main thread of the program, before those of its children.  FILE is
written."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "export"))
from story import BEGIN, Story, text  # noqa: E402

SYSCAP, FILE = sys.argv[1:]
PROGRAM, CHILD = 7, 8


class Pair(Story):
    clock = ""

    def add_samples(self, n, slower):
        self.names, self.frames, self.threads = ["main"], [], []
        for pid in PROGRAM, CHILD:
            self.frame(4, pid, BEGIN, 0, b"./app\0")
            self.frame(11, pid, BEGIN, 0x5C000000 | pid,
                       text("syscap.sampler", 40) + b"each thread 1000 times "
                       b"a second" + self.clock.encode() +
                       b", by signal 23\0")
            self.jitmap(pid)
        # Fewer samples of more ticks: the ticks count
        for i in range(20):
            self.sample(BEGIN + i * 1_000_000, PROGRAM, PROGRAM + 10, 1, [0])
        for i in range(10):
            self.sample(BEGIN + i * 1_000_000, PROGRAM, PROGRAM, 5, [0])
        for i in range(90):
            self.sample(BEGIN + i * 1_000_000, CHILD, CHILD, 1, [0])

    def add_marks(self):
        pass

    def add_rest(self):
        pass


def main():
    for clock, tid in ((" of its processor time", CHILD),
                       (", asleep or not", PROGRAM)):
        Pair.clock = clock
        if os.path.exists(FILE):
            os.unlink(FILE)
        Pair(seed=1).write(FILE)
        shown = subprocess.run(
            [SYSCAP, "view", "--snapshot", "chart", "--size", "80x20", FILE],
            check=True, stdout=subprocess.PIPE).stdout.decode()
        found = re.search(r"^thread \S* ?\(?(\d+)", shown, re.M)
        if not found or int(found[1]) != tid:
            sys.exit("FAILED: not %d%s:\n%s" % (tid, clock, shown))
    print("foremost")


main()
