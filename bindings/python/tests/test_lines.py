# SPDX-License-Identifier: BSD-2-Clause
"""The line numbers in the names of functions in stacks."""

import re
import unittest

from recorded import record

# Each at_N() is called in line N, and runs for some samples.
PROGRAM = '''import syscap
def spin():
    until = syscap.sampling_stats()["samples"] + 5
    while syscap.sampling_stats()["samples"] < until: pass
for _n in range(1, 60):
    exec(f"def at_{_n}(*_): spin()")


def straight():
    at_10()
    text = ("a"
            f"{at_12()}"
            "b")
    return [at_14() for _ in range(2)]
def backwards():
    for _ in range(2):
        at_17()
    else: at_18(
        at_19(),

        at_21())
    at_22()
def exceptions():
    try:
        at_25(1 / 0)
    except ZeroDivisionError:
        at_27()
    finally:
        at_29()
    with syscap.scope("a", "b"): at_30()
def generate():
    yield at_32()
    yield from (at_33() for _ in range(1))
class Widget:
    @property
    def size(self):
        return at_37()
def inner():
    def closure(): return at_39() or (lambda: at_39())()
    return closure()
def far():





























    at_71()
def at_71(): spin()
def everything():
    straight(); backwards(); exceptions(); list(generate())
    Widget().size; inner(); far()
'''


class Lines(unittest.TestCase):
    def places(self, capture):
        """(function, line of its caller) of each stack that has an at_N."""
        found = []
        for addresses in capture.addresses():
            names = [capture.names[a] for a in addresses
                     if a in capture.names]
            for inner, outer in zip(names, names[1:]):
                at = re.match(r"at_(\d+) ", inner)
                if at:
                    line = int(re.search(r":(\d+)\)$", outer).group(1))
                    found.append((int(at.group(1)), line, outer))
        return found

    def check(self, capture):
        found = self.places(capture)
        self.assertEqual([f for f in found if f[0] != f[1]], [])
        self.assertLessEqual({10, 12, 14, 17, 19, 21, 18, 22, 27, 29, 30, 32,
                              33, 37, 39, 71}, {f[0] for f in found})

    def test_each_frame_has_the_line_that_runs(self):
        self.check(record(PROGRAM + """
with syscap.sampling(1000, clock="wall", lines=True):
    everything()
"""))

    def test_without_it_that_of_the_definition(self):
        capture = record(PROGRAM + """
with syscap.sampling(1000, clock="wall"):
    everything()
""")
        lines = {outer for _, _, outer in self.places(capture)}
        self.assertIn("backwards", {line.partition(" ")[0] for line in lines})
        for outer in lines:
            if outer.startswith("backwards"):
                self.assertRegex(outer, r":15\)$")

    def test_the_environment_and_the_command_line_may_ask_for_it(self):
        self.check(record(PROGRAM + "everything()", environment={
            "SYSCAP_SAMPLE": "1000,wall", "SYSCAP_LINES": "1"}))
        self.check(record(PROGRAM + "everything()", options=(
            "-m", "syscap", "--sample", "1000,wall", "--lines")))


if __name__ == "__main__":
    unittest.main()
