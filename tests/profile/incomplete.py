# SPDX-License-Identifier: BSD-2-Clause
"""incomplete.py SYSCAP DIR - captures with a note of missing events, but
without a counted loss. All tools state the reason, and no tool states that
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
    "syscap.unfinished": "the capture was not finished: later events may be "
                         "missing",
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


def diff(*args):
    return run("diff", *args).splitlines()


def write_state(path, *extra):
    """A sample of process 7, and a mark."""
    write(path)
    with open(path, "ab") as file:
        file.write(frame(2, 4000, struct.pack("<HHi", 0, 0, 7)))
        for body in extra:
            file.write(body)


def note(key, value, pid=-1):
    body = key.encode().ljust(40, b"\0") + value + b"\0"
    return frame(11, 1000, body).replace(
        struct.pack("<i", 7), struct.pack("<i", pid), 1)


# Two captures are not alike if one lost events, is a part, or has another clock.
assert diff(whole, several)[0] == "new is incomplete: " + REASONS["syscap.stopped"]
assert diff(whole, several, "--", whole, whole)[0] == \
    "base is incomplete: " + REASONS["syscap.stopped"] + " (1 of 2 files)"
state, other = (os.path.join(DIR, name) for name in ("state", "other"))
write_state(state, note("syscap.sample", b"1000,cpu"))
write_state(other, note("syscap.sample", b"1000,perf"),
            note("syscap.cut", b"before_ns 5, after_ns 0"),
            frame(10, 2000, struct.pack("<q24s40s", 5, b"syscap", b"lost") +
                  b"frames=3 bytes=99\0"))
assert diff(state, other)[:3] == [
    "new lost 3 events", "new is a part of a recording",
    "the clocks differ: base cpu, new perf; functions may differ for this "
    "reason alone"], diff(state, other)
assert diff("--markdown", state, other)[:3] == diff(state, other)[:3]
assert diff(state, state)[0].startswith("1 run against 1"), diff(state, state)
found = json.loads(run("diff", "--json", state, other))
assert found["base_state"] == {"lost": 0, "incomplete": None, "parts": 0,
                               "clock": "cpu"}, found
assert found["new_state"] == {"lost": 3, "incomplete": None, "parts": 1,
                              "clock": "perf"}, found

# A part of a recording is labelled in each format that has texts.
PART = "a part of a recording, made by syscap cut"
for name in "perfetto", "chrome", "firefox", "speedscope", "callgrind":
    for path in state, other:
        out = subprocess.run([SYSCAP, "export", "-f", name, path], check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert (PART.encode() in out.stdout) == (path == other), (name, path)
        assert (PART.encode() in out.stderr) == (path == other), (name, path)
