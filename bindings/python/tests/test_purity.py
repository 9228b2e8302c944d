# SPDX-License-Identifier: BSD-2-Clause
"""Ticks in Python code, which must not allocate, free or lock.

TICK_WATCH names the library of tick_watch.c, which counts these calls.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

from recorded import SYSCAP
from test_churn import CHURN


class Purity(unittest.TestCase):
    def count(self, **environment):
        """Return the numbers (handled, allocated, freed, locked)."""
        with tempfile.TemporaryDirectory() as folder:
            env = dict(os.environ, **environment)
            run = subprocess.run(
                [SYSCAP, "record", "-o", f"{folder}/x.syscap", "--",
                 "env", f"LD_PRELOAD={os.environ['TICK_WATCH']}",
                 sys.executable, "-c", CHURN, "1.5"],
                env=env, capture_output=True, text=True, timeout=100,
                check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        told = re.search(r"handled (\d+) allocated (\d+) "
                         r"freed (\d+) locked (\d+)", run.stderr)
        self.assertIsNotNone(told, run.stderr)
        return tuple(map(int, told.groups()))

    def test_no_tick_allocates_frees_or_locks(self):
        handled, *impure = self.count()
        print(f"{handled} ticks", file=sys.stderr)
        self.assertGreater(handled, 1000)
        self.assertEqual(impure, [0, 0, 0])

    def test_it_would_be_seen(self):
        handled, allocated, _, _ = self.count(TICK_WATCH_BITES="1")
        self.assertGreaterEqual(allocated, handled - 1)


if __name__ == "__main__":
    unittest.main()
