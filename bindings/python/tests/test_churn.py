# SPDX-License-Identifier: BSD-2-Clause
"""Code that is made and freed during sampling at 20,000 Hz.

    test_churn.py RUNS SECONDS [PACKAGE]

With PACKAGE, which has a walker without checks, the test prints the number of
runs that crash, and so proves that it finds errors.
"""

import signal
import sys
import unittest

from recorded import record

CHURN = """
import gc, sys, time
import syscap

def churn(seconds):
    end = time.monotonic() + seconds
    n = 0
    while time.monotonic() < end:
        names = {}
        exec(f"def dyn_{n % 50}(x):\\n"
             "    l = [lambda y: y + x for _ in range(20)]\\n"
             "    return sum(f(1) for f in l)\\n"
             f"r = dyn_{n % 50}(3)\\n", names)
        list(map(lambda x: sorted([3, 1, 2], key=lambda y: -y), range(3)))
        try:
            names["r"].missing
        except AttributeError:
            pass
        n += 1
        if n % 500 == 0:
            gc.collect()

with syscap.sampling(20000, clock="wall"):
    churn(float(sys.argv[1]))
print(syscap.sampling_stats()["samples"])
"""


def run(seconds: str, package: str | None = None):
    return record(CHURN, seconds, package=package,
                  timeout=float(seconds) * 20 + 60)


class Churn(unittest.TestCase):
    runs = 3
    seconds = "2"

    def test_no_run_crashes_and_names_are_there(self):
        samples = named = 0
        for _ in range(self.runs):
            capture = run(self.seconds)
            stacks = capture.stacks()
            samples += len(stacks)
            named += sum("churn" in s for s in stacks)
            self.assertTrue(any(n.startswith("dyn_")
                                for n in capture.seen()))
            for name in capture.names.values():
                self.assertRegex(name, r"^\S.* \(.*:\d+\)$|\[name lost")
        print(f"{self.runs} runs, {samples} samples, "
              f"{samples - named} without a name", file=sys.stderr)
        self.assertGreater(samples, 1000)
        self.assertLess(samples - named, 0.02 * samples)


def count_crashes(runs: int, seconds: str, package: str) -> None:
    crashes = 0
    for _ in range(runs):
        try:
            run(seconds, package)
        except AssertionError as error:
            status = str(error).split()[2]
            crashes += status in (str(128 + signal.SIGSEGV),
                                  str(128 + signal.SIGBUS))
    version = sys.version.split()[0]
    print(f"{version} without checks: {crashes} of {runs} runs crash")
    # Python 3.13 has no cframe, so the runs may survive
    if crashes == 0 and sys.version_info < (3, 13):
        raise SystemExit("the checks change nothing, or churn is too tame")


if __name__ == "__main__":
    if len(sys.argv) > 3:
        count_crashes(int(sys.argv[1]), sys.argv[2], sys.argv[3])
    else:
        if len(sys.argv) > 1:
            Churn.runs, Churn.seconds = int(sys.argv[1]), sys.argv[2]
        unittest.main(argv=sys.argv[:1])
