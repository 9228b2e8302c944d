# SPDX-License-Identifier: BSD-2-Clause
"""example_test.py PROGRAM - the C++ example records its events."""

import os
import sys
import tempfile

from capture import counter_values, marks, of_type, record

with tempfile.TemporaryDirectory() as folder:
    frames = record(os.path.join(folder, "example.syscap"), sys.argv[1:])
    assert marks(frames, "words", "make_text") == [""] * 4
    # the scope that an exception left has no message
    assert sorted(marks(frames, "words", "count")) \
        == [""] + ["4 words differ"] * 3
    assert max(counter_values(frames)[("words", "seen")]) == 15000
    assert "no words" in [f["message"] for f in of_type(frames, "log")]
