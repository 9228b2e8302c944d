# SPDX-License-Identifier: BSD-2-Clause
"""early.py SYSCAP FILE - what each command shows of the capture of early.c."""
import json
import os
import re
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(here, "..", "report"))
from page import Page  # noqa: E402

SYSCAP, FILE = sys.argv[1:]
SECOND = 10**9
BEGIN = 5000 * SECOND
WINDOW, FRAME, GET = (("gtk", "mapped window"), ("gtk", "frame"),
                      ("net", "get"))
# Durations in the recording
MARKS = {WINDOW: [2, 3], FRAME: [4], GET: [1]}


def run(*args):
    return subprocess.run([SYSCAP, *args, FILE], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def same(what, ours, theirs):
    if ours != theirs:
        sys.exit("%s:\n  has      %s\n  expected %s" % (what, ours, theirs))


def check_stat():
    for filters in (), ("--from=0s",):
        whole = json.loads(run("stat", "--json", "--slowest=9", *filters))
        same("stat --json", {
            (m["group"], m["name"]): [m["count"], m["min_ns"], m["max_ns"],
                                      m["total_ns"]]
            for m in whole["marks"]}, {
                name: [len(d), d[0] * SECOND, d[-1] * SECOND, sum(d) * SECOND]
                for name, d in MARKS.items()})
        same("numbers of early marks",
             (whole["marks_cut"], whole["marks_before"]), (2, 3))
        same("slowest", [(m["name"], m["time_ns"] - BEGIN, m["duration_ns"],
                          m["began_ns"] - BEGIN)
                         for m in whole["slowest_marks"]], [
            (name, at * SECOND, duration * SECOND, began * SECOND)
            for name, at, duration, began in (
                ("frame", 1, 4, 1), ("mapped window", 1, 3, 1),
                ("mapped window", 0, 2, -2158), ("get", 0, 1, -60))])
    text = run("stat", "--slowest=9")
    assert "began before the recording: 2, measured" in text, text
    assert "ended before the recording: 3, not counted" in text, text
    assert len(re.findall(r" ◂ \+0\.000000 s ", text)) == 2, text
    assert re.search(r"mapped window +2 .* 5\.000 s\n", text), text
    # Half a minute is longer than any mark.
    done = subprocess.run([SYSCAP, "stat", "--longer-than=30s", FILE],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    same("status of --longer-than=30s", done.returncode, 1)


def check_view():
    lines = run("view", "--snapshot", "marks", "--exact", "--size",
                "200x40").split("\n")
    found = {}
    for line in lines:
        row = re.fullmatch(r"\s*" + r"(\d+)\s+" * 7 + r"(\S.*\S)\s*", line)
        if row:
            found[row[8]] = int(row[1]), int(row[2]), int(row[7])
    same("view", found, {
        "/".join(name): (len(d), sum(d) * SECOND, d[-1] * SECOND)
        for name, d in MARKS.items()})
    lines = run("view", "--snapshot", "marks", "--exact", "--size", "200x40",
                "--keys", "\r")
    assert re.search(r"◂ \d+ +%d " % (2 * SECOND), lines), lines
    assert "cut: it began %d" % (2158 * SECOND) in lines, lines


def check_page():
    html = FILE + ".html"
    subprocess.run([SYSCAP, "report", "-o", html, FILE],
                   stdout=subprocess.DEVNULL, check=True)
    with open(html, encoding="utf-8") as file:
        page = Page(file.read())
    names = list(zip(page.named("markname.groups"),
                     page.named("markname.names")))
    found = {}
    for name, time, duration in zip(
            page.numbers("mark.names"), page.sums("mark.times"),
            page.numbers("mark.durations")):
        found.setdefault(names[name], []).append(
            ((time - BEGIN) // SECOND, duration // SECOND))
    same("page", {name: sorted(d) for name, d in found.items()}, {
        WINDOW: [(0, 2), (1, 3)], FRAME: [(1, 4)], GET: [(0, 1)]})
    same("labels of the page", [n // SECOND for n in
                                page.numbers("mark.before")], [2158, 60])
    same("operations", [(page.base + begin - BEGIN, page.base + end - BEGIN)
                        for begin, end in zip(page.numbers("operation.begins"),
                                              page.numbers("operation.ends"))],
         [(0, SECOND)])


def notes(*args):
    """The numbers of early marks in the notes of an export."""
    done = subprocess.run([SYSCAP, "export", *args, FILE], check=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return [int(n) for n in re.findall(
        r"note: marks that (?:began|ended) before the recording: (\d+), "
        r"(?:measured from its start|not counted)\n",
        done.stderr.decode())]


def check_notes():
    for name in "perfetto", "chrome", "firefox", "speedscope":
        same(name, notes("--format=" + name), [2, 3])
    same("--from=1500ms", notes("--format=chrome", "--from=1500ms"), [1])
    # These outputs have no cut marks.
    same("csv", notes("--format=csv", "--table=marks"), [])
    same("folded", notes("--format=folded"), [])
    for filters, sides in (((), (2, 3)), (("--from=1s",), (0, 0)),
                           (("--mark=gtk/mapped window",), (2, 3))):
        keys = {}
        for side in "base", "new":
            keys.update({side + "_marks_cut": sides[0],
                         side + "_marks_before": sides[1]})
        args = [SYSCAP, "diff", *filters, FILE, FILE]
        whole = json.loads(subprocess.run(
            [*args, "--json"], stdout=subprocess.PIPE).stdout)
        same("diff --json", {k: whole[k] for k in keys if k in whole},
             {k: n for k, n in keys.items() if n > 0})
        for more in (), ("--markdown",):
            text = subprocess.run([*args, *more],
                                  stdout=subprocess.PIPE).stdout.decode()
            same("diff", [line for line in text.split("\n")
                          if "before the recording" in line], [
                line for side in ("base", "new") for line in (
                    "marks of %s that began before the recording: %d, measured "
                    "from its start" % (side, sides[0]),
                    "marks of %s that ended before the recording: %d, not "
                    "counted" % (side, sides[1])) if sides[0] > 0])


def check_others():
    whole = json.loads(subprocess.run(
        [SYSCAP, "diff", "--json", FILE, FILE], text=True,
        stdout=subprocess.PIPE).stdout)
    text = json.dumps(whole)
    assert str(3 * SECOND) in text and str(2160 * SECOND) not in text, text
    # Most of the ten blocks have no such mark.
    subprocess.run([SYSCAP, "diff", "--mark=gtk/frame", FILE, FILE],
                   check=True, stdout=subprocess.DEVNULL)
    chrome = json.loads(run("export", "--format=chrome"))
    same("chrome", sorted((e["name"], e["ts"], e["dur"])
                          for e in chrome["traceEvents"] if e["ph"] == "X"),
         [("mapped window", 0, 2e6)]) # the other marks overlap this mark The
    # frames are unchanged.
    for text in run("dump", "--json"), run("export", "--format=csv",
                                           "--table=marks"):
        assert str(2160 * SECOND) in text and "over" in text, text
        assert str(BEGIN - 2158 * SECOND) in text, text


check_stat()
check_view()
check_page()
check_others()
check_notes()
