# SPDX-License-Identifier: BSD-2-Clause
"""duktape_test.py PROGRAM - samples name the functions of the script, in the
order of their calls."""

import os
import sys
import tempfile

from capture import of_type, record, stacks

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "duktape.js")


def managed(stack):
    """The functions of the script in @stack, the innermost first."""
    return [name.replace(f" ({SCRIPT})", "") for name in stack
            if isinstance(name, str) and name.endswith((".js)", "(native)"))]


with tempfile.TemporaryDirectory() as folder:
    frames = record(os.path.join(folder, "duktape.syscap"),
                    [sys.argv[1], SCRIPT], SYSCAP_SAMPLE="1000,wall")
    found = [managed(stack) for stack in stacks(frames)]
    root = ["outer", "deep", "deep", "deep", "deep", "global"]
    with_script = [stack for stack in found if stack]
    assert with_script, "no sample has functions of the script"
    # request() refuses native code outside of the script
    for stack in with_script:
        assert stack[-6:] == root or stack == ["global"] \
            or set(stack) <= {"deep", "global"}, stack
    assert ["leaf", "middle"] + root in with_script
    assert ["leaf", "middle", "inside", "forEach"] + root in [
        [name.replace(" (native)", "") for name in stack]
        for stack in with_script]
    # "odd" has a name that is not a string, which the walk must not convert
    assert ["leaf", "middle", "anonymous"] + root in with_script
    # The script runs for 400 ms.  The weights include ticks that waited for a
    # safe point.
    weights = sum(frame["weight"] for frame in of_type(frames, "sample"))
    assert weights >= 300, weights
