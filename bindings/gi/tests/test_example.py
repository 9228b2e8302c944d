# SPDX-License-Identifier: BSD-2-Clause test_example.py COMMAND... - pictures of
# the example, and a mark of each picture in the capture.
"""Check the example of one language."""

import sys
import unittest

from recording import record, run

COMMAND = sys.argv[1:]
del sys.argv[1:]


class Example(unittest.TestCase):
    """The example with a recording, and without."""

    def test_the_example_runs_without_a_recorder(self):
        self.assertEqual(run(COMMAND), "40 pictures, not recorded\n")

    def test_the_capture_of_the_example_tells_of_each_picture(self):
        printed, capture = record(COMMAND)
        self.assertEqual(printed, "40 pictures, recorded\n")
        counts = {m["name"]: m["count"] for m in capture.stat["marks"]}
        self.assertEqual(
            counts, {"draw": 40, "scale": 40, "flush": 4, "draw all": 1}
        )
        values = capture.values()
        self.assertEqual(values["drawn"], list(range(1, 41)))
        self.assertEqual(values["MiB"][-1], 30)
        self.assertTrue(
            [log for log in capture.of("log") if "are drawn" in log["message"]]
        )


if __name__ == "__main__":
    unittest.main()
