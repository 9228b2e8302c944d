# SPDX-License-Identifier: BSD-2-Clause
"""names.py SYSCAP FOLDER_OF_STORY - see names.sh."""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

syscap = sys.argv[1]
sys.path.insert(0, sys.argv[2])
from story import BEGIN, Story  # noqa: E402


def dump(path, *args):
    return subprocess.run([syscap, "dump", *args, path], check=True,
                          stdout=subprocess.PIPE).stdout.decode()


def events(path, *args):
    return [json.loads(line) for line in
            dump(path, "--json", *args).splitlines()]


def table(symbols):
    """An embedded table of symbols, in the form that recorders write."""
    texts, rows = b"", b""
    at = (len(symbols) + 1) * 32
    for pid, begin, end, name in symbols:
        rows += struct.pack("<QQIIIxxxx", begin, end, pid, at + len(texts), 0)
        texts += name.encode() + b"\0"
    return rows + bytes(32) + texts


def check_names(folder):
    story = Story(7, n=1)
    data = table([(10, 0x401000, 0x401100, "fun ction"),
                  (10, 0x402000, 0x402010, "leaf")])
    story.frame(13, 10, BEGIN, 0, b"\1\0" + struct.pack("<H", len(data)) +
                b"__symbols__".ljust(256, b"\0") + data)
    story.frame(2, 10, BEGIN, 0, struct.pack(
        "<HHi4Q", 4, 0, 10, 0x402003, 0x401080, 0x500000, story.address(0)))
    path = os.path.join(folder, "names.syscap")
    story.write(path)
    lines = [line for line in dump(path, "--type=sample").splitlines()
             if "0x402003" in line]
    assert len(lines) == 1 and lines[0].endswith(
        ' 0x402003="leaf"+0x3 0x401080="fun ction"+0x80 0x500000 '
        '0x%x="main"' % story.address(0)), lines


def check_filters(folder):
    story = Story(8)
    path = os.path.join(folder, "story.syscap")
    # file order is not time order
    story.frames.reverse()
    story.write(path)
    rows = events(path, "--by-time")
    times = [row["time"] for row in rows]
    assert times == sorted(times) and len(rows) == len(story.frames)
    assert [r["time"] for r in events(path)] != times
    rows = events(path, "--type=sample", "--thread=11", "--from=30ms",
                  "--to=900ms")
    wanted = [s for s in story.samples
              if s[2] == 11 and 30_000_000 <= s[0] - BEGIN < 900_000_000]
    assert sorted(r["time"] for r in rows) == [s[0] for s in wanted]
    rows = events(path, "--type=sample", "--function=^parse$")
    wanted = [s[0] for s in story.samples if "parse" in s[4]]
    assert sorted(r["time"] for r in rows) == wanted
    rows = events(path, "--type=mark", "--pid=20", "--from=50ms")
    wanted = [m for m in story.marks
              if m[2] == 20 and m[0] - BEGIN >= 50_000_000]
    assert len(rows) == len(wanted)
    # inside the longest marks; each thread has one of these marks
    rows = events(path, "--type=sample", "--mark=late")
    late = {m[3]: m for m in story.marks if m[4] == "late"}
    wanted = [s[0] for s in story.samples
              if late[s[2]][0] <= s[0] < sum(late[s[2]][:2])]
    assert sorted(r["time"] for r in rows) == wanted


with tempfile.TemporaryDirectory() as work:
    check_names(work)
    check_filters(work)
    text = dump(os.path.join(work, "story.syscap"))
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", text)
