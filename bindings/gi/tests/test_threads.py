# SPDX-License-Identifier: BSD-2-Clause
# test_threads.py PROGRAM - threads that share one object (threads.c).
"""Check the threads' events, and leaks."""

import re
import sys
import unittest

from recording import record

PROGRAM = sys.argv.pop(1)


class Threads(unittest.TestCase):
    """One recording."""

    @classmethod
    def setUpClass(cls):
        cls.printed, cls.capture = record([PROGRAM])

    def test_a_scope_that_many_threads_end_is_one_mark(self):
        self.assertEqual(self.capture.names("threads").count("shared"), 200)

    def test_a_counter_is_one_for_all_threads(self):
        defined = {
            counter["id"]
            for frame in self.capture.of("ctrdef")
            for counter in frame["counters"]
            if counter["name"] == "shared"
        }
        self.assertEqual(len(defined), 1)
        self.assertEqual(len(self.capture.values()["shared"]), 8 * 200)

    def test_the_newest_value_is_the_sum_of_what_all_threads_added(self):
        self.assertEqual(self.capture.newest_value("sum"), 3 * 8 * 200)

    def test_messages_of_glib_are_recorded_from_every_thread(self):
        lines = [
            line
            for line in self.capture.of("log")
            if line["message"] == "a thread is done"
        ]
        self.assertEqual(len({line["tid"] for line in lines}), 8)
        self.assertEqual({line["severity"] for line in lines}, {32})

    def test_debug_messages_that_are_not_printed_are_recorded_too(self):
        self.assertEqual(
            self.capture.logs("threads"), [("debug", "counted text")]
        )

    def test_a_scope_without_an_end_is_no_mark_but_a_warning(self):
        self.assertNotIn("forgotten", self.capture.names("threads"))
        warnings = [
            text
            for severity, text in self.capture.logs("syscap")
            if severity == "warning" and "never ended" in text
        ]
        self.assertEqual(len(warnings), 2)
        self.assertIn('"forgotten" of group "threads"', warnings[0])
        self.assertRegex(warnings[1], r"scope with id \d+ was")

    def test_a_counter_for_which_there_is_no_room_says_so(self):
        self.assertTrue(re.match(r"full at 4\d\d\d\n", self.printed))
        self.assertIn(
            ("warning", "too many counters"),
            [
                (severity, "too many counters")
                for severity, text in self.capture.logs("syscap")
                if "too many counters" in text
            ],
        )


if __name__ == "__main__":
    unittest.main()
