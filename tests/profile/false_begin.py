# SPDX-License-Identifier: BSD-2-Clause
"""false_begin.py SYSCAP DIR - marks of GTK 4, whose begin is in µs instead of
ns, in the recording of a command, in a part of the recording, and in a
recording that may be younger than the process."""
import json
import os
import re
import struct
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(here, "..", "report"))
from page import Page  # noqa: E402

SYSCAP, DIR = sys.argv[1:]
SECOND = 10**9
BEGIN = 5000 * SECOND
NAME = "mapped window"
ONE = '1 mark "mapped window" begins before its process: its time is not shown'
TWO = ('2 marks, the first is "mapped window", begin before their processes: '
       "their times are not shown")


def frame(kind, pid, time, body):
    length = (24 + len(body) + 7) // 8 * 8
    head = struct.pack("<HhiqBxxxI", length, 1, pid, BEGIN + time, kind, 0)
    return (head + body).ljust(length, b"\0")


def mark(begin, end, name, message=""):
    return frame(10, 7, begin, struct.pack(
        "<q24s40s", end - begin, b"gtk", name.encode()) + message.encode() +
        b"\0")


def window(end):
    """A mark from end - 45 ms to end, with a begin in µs."""
    begin = (BEGIN + end - SECOND * 45 // 1000) // 1000
    return mark(begin - BEGIN, end, NAME)


def write(name, *frames):
    path = os.path.join(DIR, name)
    with open(path, "wb") as file:
        file.write(struct.pack("<IBBxx64sqqQ160x", 0xFDCA975E, 1, 1, b"2026",
                               BEGIN, BEGIN + 9 * SECOND, 0))
        file.write(b"".join(frames))
    return path


def run(*args, status=0):
    done = subprocess.run([SYSCAP, *args], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    out = [text.decode(errors="replace")
           for text in (done.stdout, done.stderr)]
    if done.returncode != status:
        sys.exit("%s: status %d\n%s%s" % (args, done.returncode, *out))
    return out


def same(what, ours, theirs):
    if ours != theirs:
        sys.exit("%s:\n  has      %s\n  expected %s" % (what, ours, theirs))


def rows(path, *filters):
    whole = json.loads(run("stat", "--json", *filters, path)[0])
    if whole["marks"]:
        whole.update(json.loads(run("stat", "--json", "--slowest=9", *filters,
                                    path)[0]))
    return ([(m["name"], m["count"], m["max_ns"]) for m in whole["marks"]],
            [m["name"] for m in whole.get("slowest_marks", [])],
            [whole["marks_" + key] for key in ("cut", "before", "false")])


COMMAND = frame(11, -1, 0, b"syscap.command".ljust(40, b"\0") + b"demo\0")
PROCESS = frame(4, 7, SECOND // 20, b"demo\0")
INSIDE = mark(SECOND, 2 * SECOND, "frame")
TRUE = ("frame", 1, SECOND)


def check_stat(path):
    same("stat --json", rows(path), ([TRUE], ["frame"], [0, 0, 1]))
    # A filter's times contain the mark's end, or do not.
    same("--to", rows(path, "--to=950ms"), ([], [], [0, 0, 1]))
    same("--from", rows(path, "--from=950ms"), ([TRUE], ["frame"], [0, 0, 0]))
    for filters in (), ("--from=500ms",):
        text = run("stat", *filters, path)[0]
        assert "\n  %s\n" % ONE in text, text
        assert "before the recording" not in text, text
    # The command's process is not older than its recording.
    same("an instant", rows(write("instant", COMMAND, PROCESS, mark(
        -SECOND, -SECOND, NAME))), ([], [], [0, 0, 1]))
    text = run("stat", write("two", COMMAND, PROCESS, window(SECOND),
                             window(2 * SECOND)))[0]
    assert "\n  %s\n" % TWO in text, text


def check_others(path):
    for name in "perfetto", "chrome", "firefox", "speedscope":
        out, err = run("export", "--format=" + name, path)
        assert "note: %s\n" % ONE in err, err
        assert NAME not in out, name
    firefox = json.loads(run("export", "--format=firefox", path)[0])
    # The process does not begin with the mark.
    same("begins in Firefox", [
        (t["processStartupTime"], t["registerTime"])
        for t in firefox["threads"] if t["pid"] == "7"], [(50, 900)])
    shown = run("view", "--snapshot", "marks", "--size", "120x30", path)[0]
    assert "frame" in shown and NAME not in shown, shown
    note = "1 mark from before the recording or its process was omitted"
    assert note in shown, shown
    html = path + ".html"
    run("report", "-o", html, path)
    with open(html, encoding="utf-8") as file:
        page = Page(file.read())
    same("page", page.named("markname.names"), ["frame"])
    same("page's note", page.facts["early"], note)
    for more, end in ((), ", not counted\n"), (("--json",), ""):
        text = run("diff", *more, path, path)[0]
        for side in "base", "new":
            found = re.search(r'"%s_marks_false": ?1\b' % side if more else
                              "marks of %s that begin before their process: 1"
                              "%s" % (side, end), text)
            assert found, text
    # The frames are unchanged.
    assert NAME in run("dump", path)[0]
    assert NAME in run("export", "--format=csv", "--table=marks", path)[0]


def check_true():
    """The process may be older than the recording: the mark is cut."""
    path = write("attached", PROCESS, window(SECOND * 9 // 10), INSIDE)
    cut = (NAME, 1, SECOND * 9 // 10)
    same("without a command", rows(path), (
        [TRUE, cut], ["frame", NAME], [1, 0, 0]))
    shown = run("view", "--snapshot", "marks", "--size", "120x30", path)[0]
    assert "1 mark began before the recording, measured from its start" in \
        shown, shown
    # An operation's beginning and end are two marks.
    path = write("operation", COMMAND, PROCESS,
                 mark(-SECOND, -SECOND, "get", "async=1 phase=begin"),
                 mark(SECOND, SECOND, "get", "async=1 phase=end"))
    same("operation", rows(path), ([("get", 1, SECOND)], ["get"], [1, 0, 0]))
    # The part of the recording is younger than the process.
    whole = write("whole", COMMAND, PROCESS, INSIDE)
    part = os.path.join(DIR, "part")
    run("cut", "--from=1500ms", "-o", part, whole)
    same("cut", rows(part), ([("frame", 1, SECOND // 2)], ["frame"],
                             [1, 0, 0]))


def check_cut(path):
    """In a part of the recording, marks with a false beginning are detected."""
    for times in (["--from=10ms"], ["--from=500ms"], ["--from=950ms"],
                  ["--to=500ms"], ["--to=950ms"],
                  ["--from=500ms", "--to=800ms"]):
        part, twice = (os.path.join(DIR, name) for name in ("part", "twice"))
        run("cut", "--force", *times, "-o", part, path)
        same("cut " + " ".join(times), rows(part), rows(path, *times))
        run("cut", "--force", "--from=1ms", "-o", twice, part)
        same("cut twice", rows(twice)[2], rows(part)[2])


PATH = write("command", COMMAND, PROCESS, window(SECOND * 9 // 10), INSIDE)
check_stat(PATH)
check_others(PATH)
check_cut(PATH)
check_true()
