# SPDX-License-Identifier: BSD-2-Clause
"""long_times.py SYSCAP FILE - durations of many hours fit on a screen. Writes
FILE."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "export"))
from story import BEGIN, Story  # noqa: E402

SYSCAP, FILE = sys.argv[1:]
SECOND = 1_000_000_000
LASTS = {"minutes": 600, "hours": 62025.076, "days": 999_999.999,
         "weeks": 5_529_600.25}


class Long(Story):
    def add_samples(self, n, slower):
        self.frame(4, 7, BEGIN, 0, b"./app\0")
        self.samples = [(BEGIN, 7)]  # write() reads the end time

    def add_marks(self):
        for name, seconds in LASTS.items():
            self.mark(7, 7, BEGIN, round(seconds * SECOND), "long", name)

    def add_rest(self):
        pass


def screen(view, width, *more):
    return subprocess.run(
        [SYSCAP, "view", "--snapshot", view, "--size", "%dx20" % width, *more,
         FILE], check=True, stdout=subprocess.PIPE).stdout.decode()


def main():
    Long(seed=1).write(FILE)
    for width in 80, 120, 200:
        lines = screen("marks", width)
        for name, seconds in LASTS.items():
            row = re.search(r"^(.*)  long/%s *$" % name, lines, re.M)
            times = re.findall(r"(\S+) s\b", row[1])
            if len(times) < 3 or abs(float(times[0]) - seconds) > 0.5 \
                    or "…" in row[1]:
                sys.exit("FAILED: %d wide: %r" % (width, row[0]))
        axis = re.search(r"^│\+.*$", screen("chart", width), re.M)
        if "…" in axis[0] or not re.search(r" s +│", axis[0]):
            sys.exit("FAILED: axis: %r" % axis[0])
    print("whole")


main()
