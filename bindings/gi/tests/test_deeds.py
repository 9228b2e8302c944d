# SPDX-License-Identifier: BSD-2-Clause
# test_deeds.py LANGUAGE COMMAND... - the capture of the deeds of deeds.c, which
# COMMAND performs, and which is the same in each language.
"""Check the deeds of one language."""

import sys
import unittest

from recording import record, run

LANGUAGE = sys.argv.pop(1)
COMMAND = sys.argv[1:]
del sys.argv[1:]


class Deeds(unittest.TestCase):
    """The contents of the capture."""

    @classmethod
    def setUpClass(cls):
        cls.printed, cls.capture = record(COMMAND)

    def test_the_program_knows_that_it_is_recorded(self):
        self.assertEqual(self.printed, "recorded\n")

    def test_without_a_recorder_nothing_happens(self):
        self.assertEqual(run(COMMAND), "off\n")

    def test_marks_have_what_they_were_given(self):
        marks = self.capture.marks("deeds")
        self.assertIn(("mark", 5000000, "größe"), marks)
        self.assertIn(("instant", 0, "a text"), marks)
        self.assertIn(("by id", 7, ""), marks)

    def test_marks_since_a_time_last_until_now(self):
        lasting = {
            (name, message)
            for name, duration, message in self.capture.marks("deeds")
            if 0 < duration < 60e9 and duration not in (7, 5000000)
        }
        self.assertIn(("since", ""), lasting)
        self.assertIn(("by id", "until now"), lasting)

    def test_time_0_and_unknown_numbers_make_no_mark(self):
        self.assertNotIn("since nothing", self.capture.names("deeds"))
        self.assertNotIn(
            "of nobody", [text for _, _, text in self.capture.marks("deeds")]
        )

    def test_a_scope_is_one_mark_however_often_it_is_ended(self):
        scopes = [
            (name, message)
            for name, _, message in self.capture.marks("deeds")
            if name.startswith("scope")
        ]
        self.assertEqual(scopes, [("scope", "done"), ("scope by id", "")])

    def test_a_block_that_is_left_ends_its_scope_which_holds_the_inner(self):
        marks = {mark["name"]: mark for mark in self.capture.of("mark")}
        block, scope = marks["block"], marks["scope"]
        self.assertEqual(self.capture.names("deeds").count("block"), 1)
        self.assertLessEqual(block["time"], scope["time"])
        self.assertGreaterEqual(
            block["time"] + block["duration"],
            scope["time"] + scope["duration"],
        )

    def test_texts_that_are_too_long_are_cut_between_characters(self):
        self.assertEqual(self.capture.names("ä" * 11), ["ö" * 19])

    def test_linked_marks_say_what_they_belong_to(self):
        links = [
            message
            for name, _, message in self.capture.marks("deeds")
            if name == "job"
        ]
        self.assertEqual(
            links, ["async=2a phase=begin go", "async=2a phase=end"]
        )

    def test_counters_have_their_type_and_texts(self):
        counters = {
            counter["name"]: (
                counter["category"],
                counter["description"],
                counter["type"],
            )
            for frame in self.capture.of("ctrdef")
            for counter in frame["counters"]
        }
        self.assertEqual(
            counters,
            {
                "whole": ("deeds", "An integer", "int64"),
                "real": ("deeds", "A double", "double"),
                "sum": ("deeds", "Added", "int64"),
            },
        )

    def test_values_of_the_other_type_are_converted(self):
        values = self.capture.values()
        self.assertEqual(values["whole"][:3], [-5, 2, 2**63 - 1])
        self.assertEqual(values["real"][:2], [0.5, 3])

    def test_an_update_that_changes_nothing_is_left_out(self):
        values = self.capture.values()
        self.assertEqual(values["whole"][3:], [8])
        self.assertEqual(values["real"][2:], [8.25])

    def test_what_is_added_is_recorded_as_the_sum(self):
        self.assertEqual(self.capture.values()["sum"], [1, 7, 5])

    def test_a_log_line_has_severity_and_domain(self):
        logs = self.capture.logs("deeds")
        self.assertEqual([text for _, text in logs], ["a line"])
        self.assertEqual(logs[0][0], "info")

    def test_metadata_arrive(self):
        found = {
            frame["id"]: frame["metadata"]
            for frame in self.capture.of("metadata")
        }
        self.assertEqual(found.get("deeds.version"), "1.0")

    def test_the_scopes_that_were_ended_are_not_complained_of(self):
        self.assertEqual(self.capture.logs("syscap"), [])

    def test_stat_shows_the_program_and_its_marks(self):
        stat = self.capture.stat
        self.assertIn("mark", [m["name"] for m in stat["marks"]])
        self.assertEqual(stat["lost"]["frames"], 0)


if __name__ == "__main__":
    print(f"deeds in {LANGUAGE}: {' '.join(COMMAND)}")
    unittest.main()
