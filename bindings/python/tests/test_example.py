# SPDX-License-Identifier: BSD-2-Clause
"""The example's events, and its run without a recorder."""

import pathlib
import subprocess
import sys
import unittest

from recorded import record

SERVER = pathlib.Path(__file__).parent.parent / "examples" / "server.py"


class Example(unittest.TestCase):
    def test_it_records_its_requests(self):
        capture = record(SERVER.read_text())
        names = [m[1] for m in capture.marks()]
        self.assertEqual(names.count("answer"), 50)
        self.assertEqual(names.count("fetch"), 50)
        self.assertEqual(names.count("digest"), 50)
        self.assertEqual(len(capture.of("log")), 10)
        self.assertGreater(capture.seen()["digest"], 0)

    def test_it_runs_alone(self):
        subprocess.run([sys.executable, str(SERVER)], check=True, timeout=60)


if __name__ == "__main__":
    unittest.main()
