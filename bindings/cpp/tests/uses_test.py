# SPDX-License-Identifier: BSD-2-Clause
"""uses_test.py PROGRAM - check of the record of each way to write an event."""

import os
import subprocess
import sys
import tempfile

from capture import counter_values, marks, newest_values, of_type, read, record

MANY = "y" * 3000


def check_macros(frames):
    """Check the macros of <syscap.h>, from C++."""
    assert marks(frames, "uses", "scope") == ["whole"]
    assert marks(frames, "uses", "inner scope") == [""]
    assert marks(frames, "uses", "temporary") == ["a made"]
    assert marks(frames, "uses", "printf") == ["42"]
    assert marks(frames, "uses", "template") == ["", ""]
    assert marks(frames, "uses", "lambda") == [""]
    assert marks(frames, "uses", "since") == ["then"]
    assert marks(frames, "uses", "if") == [""]
    assert marks(frames, "uses", "else") == []
    assert marks(frames, "uses", "arrow") == ["flow=7 phase=out",
                                              "flow=7 phase=in"]
    logs = [(f["severity"], f["message"]) for f in of_type(frames, "log")]
    assert (64, "b made!") in logs and (128, "printed") in logs
    functions = [name for name, _ in marks(frames, "uses function")]
    assert functions[:3] == ["in_template", "in_template", "operator()"]


def check_scopes(frames):
    """Check scopes that are objects."""
    objects = marks(frames, "uses", "object")
    assert objects.count("to the end") == 1
    assert objects.count("d made") == 1     # ended early
    assert objects.count("never") == 0
    assert objects.count("on another thread") == 1
    assert len([m for m in objects if m == ""]) == 0        # cancelled
    assert marks(frames, "uses", "moved") == ["once"]
    assert marks(frames, "uses", "as") == ["viewed"]
    assert marks(frames, "uses", "named at run time") == [""]
    # The name is cut between characters; the long message goes through printf
    assert marks(frames, "uses", "01234567890123456789012345678901234567") \
        == ["x" * 2000]
    assert marks(frames, "uses", "thrown through") == [""]
    assert marks(frames, "uses", "object thrown through") == [""]


def check_functions(frames, is_17):
    """Check texts of every kind, and the other functions."""
    expected = ["", "e made", "vie", MANY, "", "since",
                "async=9 phase=begin", "async=9 phase=end done",
                "async=a phase=whole f made", "below zero"]
    if is_17:
        expected += ["view", "optional"]
    assert marks(frames, "uses", "function") == expected
    logs = [(f["domain"], f["message"]) for f in of_type(frames, "log")
            if f["severity"] == 16 and f["domain"] != "syscap"]
    assert logs == [("uses", "plain"), ("uses", "g made"), ("uses", "view"),
                    ("uses", MANY)]
    facts = {f["id"]: f["metadata"] for f in of_type(frames, "metadata")}
    assert facts["uses.function"] == "h made"
    assert facts["uses.view"] == MANY


def check_counters(frames):
    """Check a value set by a static constructor, and each way to set a
    counter."""
    values = counter_values(frames)
    # 1 by the constructor, 1 by the macro, 3 by the first update
    assert values[("uses", "of C++")] == [1, 1, 3]
    assert values[("uses", "of C")] == [1.5, 2.5]
    assert values[("uses", "real")] == [1.5]
    assert values[("uses", "found")] == [17, 18]
    assert values[("uses", "big")] == [1 << 40] * 5
    # values beyond int64_t become the nearest limit
    most = (1 << 63) - 1
    assert values[("uses", "huge")] == [most, 17, most]
    # two counters have this name
    assert values[("uses", "of two types")] == [-(1 << 63), 0.5]
    # the newest value is the sum, whichever thread recorded it
    sums = newest_values(frames)
    assert sums[("uses", "sum")] == 3000
    assert sums[("uses", "named sum")] == 8000
    assert sums[("uses", "real sum")] == 2.75
    assert ("uses", "one too many") not in values
    # four counters were made before the 4,096 and the refused one
    told = [f["message"] for f in of_type(frames, "log")
            if f["domain"] == "syscap"]
    assert len(told) == 5 and told[-1] == \
        'there are too many counters for "one too many" of category "uses"'
    assert [f["duration"] for f in of_type(frames, "mark")
            if f["message"] == "below zero"] == [-7]


def check_units(frames):
    """Check five calls of a function of another unit, four of them on
    threads."""
    assert marks(frames, "uses", "both units") == [""] * 5
    assert marks(frames, "uses", "both units, as") == [""] * 5
    assert marks(frames, "uses", "member") == [""] * 5
    threads = {f["tid"] for f in of_type(frames, "mark")
               if f["group"] == "uses"}
    assert len(threads) == 6


def check_operations(frames):
    """Check operations that end on other threads and stacks."""
    found = marks(frames, "uses operation")
    ids = {message.split(" ")[0] for _, message in found}
    assert sorted((name, message.partition(" ")[2])
                  for name, message in found) == [
        ("began", "phase=step"),
        ("coroutine", "phase=whole"),
        ("coroutine", "phase=whole"),
        ("fibre", "phase=begin"),
        ("fibre", "phase=end"),
        ("object", "phase=begin with a step"),
        ("object", "phase=end with a step"),
        ("object", "phase=whole assigned"),
        ("object", "phase=whole moved made"),
        ("resumed", "phase=step elsewhere"),
        ("s" * 39, "phase=step"),
    ], found
    assert len(ids) == 6
    threads = {mark["name"]: mark["tid"] for mark in of_type(frames, "mark")
               if mark["group"] == "uses operation"}
    assert threads["began"] != threads["resumed"]


def check_nesting(frames):
    """Check that events within a scope lie inside of its mark."""
    spans = {}
    for frame in of_type(frames, "mark"):
        if frame["tid"] == frame["pid"]:
            spans.setdefault(frame["name"], []).append(
                (frame["time"], frame["time"] + frame["duration"]))
    outer = spans["scope"][0]
    for name in ("inner scope", "template", "lambda", "printf"):
        assert outer[0] <= spans[name][0][0], name
        assert spans[name][-1][0] <= outer[1], name


def main(program):
    """Run @program without a recorder, below a recorder, and recording
    itself."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("SYSPROF_CONTROL_FD", "SYSPROF_TRACE_FD",
                     "SYSCAP_OUTPUT"):
            os.environ.pop(name, None)
        # the program checks that no macro evaluated its arguments
        subprocess.run([program], check=True, timeout=60)
        frames = record(os.path.join(folder, "uses.syscap"), [program])
        check_macros(frames)
        check_scopes(frames)
        check_functions(frames, "uses11" not in program)
        check_counters(frames)
        check_units(frames)
        check_operations(frames)
        check_nesting(frames)
        own = os.path.join(folder, "own.syscap")
        subprocess.run([program, own], check=True, timeout=60)
        check_macros(read(own))     # once: no events after stop()


main(*sys.argv[1:])
