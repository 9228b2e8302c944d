# SPDX-License-Identifier: BSD-2-Clause
"""incomplete.py SYSCAP DIR - captures with a note that events are missing, of
which no loss is counted: all tools state the reason, and none states that
nothing was lost."""
import json
import os
import struct
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(here, "..", "report"))
from page import Page  # noqa: E402

SYSCAP, DIR = sys.argv[1:]
REASONS = {
    "syscap.damaged": "a child overwrote rings: events are lost",
    "syscap.emptied": "another library emptied the capture: earlier data is "
                      "lost",
    "syscap.stopped": "the size limit was reached: later events are lost",
}


def frame(kind, time, body):
    length = (24 + len(body) + 7) // 8 * 8
    head = struct.pack("<HhiqBxxxI", length, 1, 7, time, kind, 0)
    return (head + body).ljust(length, b"\0")


def write(path, *ids):
    with open(path, "wb") as file:
        file.write(struct.pack("<IBBxx64sqqQ160x", 0xFDCA975E, 1, 1, b"2026",
                               1000, 9000, 0))
        file.write(frame(10, 2000, struct.pack("<q24s40s", 5, b"a", b"b") +
                         b"\0"))
        for key in ids:
            file.write(frame(11, 3000, key.encode().ljust(40, b"\0") +
                             b"bytes=1\0"))


def run(*args):
    return subprocess.run([SYSCAP, *args], stdout=subprocess.PIPE, check=True,
                          stderr=subprocess.PIPE).stdout.decode()


def check(path, reason):
    text = run("stat", path)
    assert ("\n  incomplete %s\n" % reason in text) == (reason is not None), text
    assert ("nothing\n" in text) == (reason is None), text
    assert json.loads(run("stat", "--json", path)).get("incomplete") == reason
    shown = run("view", "--snapshot", "lost", "--size", "100x20", path)
    assert (reason or "nothing was lost") in shown, shown
    run("report", "-o", path + ".html", path)
    with open(path + ".html", encoding="utf-8") as file:
        assert Page(file.read()).facts.get("incomplete", "") == (reason or "")


whole = os.path.join(DIR, "whole")
write(whole)
check(whole, None)
for key, reason in REASONS.items():
    one = os.path.join(DIR, key)
    write(one, key)
    check(one, reason)
several = os.path.join(DIR, "several")
write(several, "syscap.stopped", "syscap.damaged")
check(several, REASONS["syscap.stopped"])
