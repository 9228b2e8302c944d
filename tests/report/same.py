# SPDX-License-Identifier: BSD-2-Clause
"""same.py SYSCAP - unusual data that captures can contain: `stat`, the page
and the terminal viewer show the same."""
import collections
import json
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.join(HERE, "../export")]
from page import Page  # noqa: E402
from story import BEGIN, Story, text  # noqa: E402

syscap = sys.argv[1]


def run(*args):
    return subprocess.run([syscap, *args], check=True,
                          stdout=subprocess.PIPE).stdout.decode()


def define(story, pid, number, name):
    story.frame(8, pid, BEGIN, 0, struct.pack("<HHI", 1, 0, 0) +
                text("odd", 32) + text(name, 32) + text("", 52) +
                struct.pack("<IQ", number, 0))


def put(story, pid, time, number, value):
    story.frame(9, pid, time, 0, struct.pack("<HHI", 1, 0, 0) +
                struct.pack("<8I", number, *[0] * 7) +
                struct.pack("<q", value) + bytes(56))


def view(path, page):
    return run("view", "--snapshot", page, "--size", "160x60", path)


def check_marks(path):
    """Half of the marks end before they begin: these have the duration 0."""
    name, = [mark for mark in json.loads(run("stat", "--json", path))["marks"]
             if mark["group"] == "odd"]
    assert (name["count"], name["min_ns"], name["max_ns"], name["total_ns"]) \
        == (4, 0, 50_000_000, 80_000_000), name
    page = read_page(path)
    groups = page.named("markname.groups")
    durations = [duration for number, duration in zip(
        page.numbers("mark.names"), page.numbers("mark.durations"))
        if groups[number] == "odd"]
    assert sorted(durations) == [0, 0, 30_000_000, 50_000_000], durations
    row, = [line for line in view(path, "marks").splitlines()
            if "odd/back" in line]
    assert "80.000 ms" in row, row


def read_page(path):
    out = path + ".html"
    run("report", "-o", out, path)
    with open(out) as file:
        return Page(file.read())


def check_counters(path):
    """One counter is never set; another is set by a process that does not
    define it."""
    told = collections.Counter()
    for counter in json.loads(run("stat", "--json", path))["counters"]:
        if counter["category"] == "odd":
            told[counter["name"]] += counter["count"]
    assert told == {"never": 0, "set": 3} and len(told) == 2, told
    page = read_page(path)
    names = page.named("counter.names")
    assert names.count("set") == names.count("never") == 1, names
    values = [names[number] for number in page.numbers("value.counters")]
    assert values.count("set") == 3 and "never" not in values
    shown = view(path, "counters")
    assert shown.count("odd: set") == 1 or "3 values" in shown, shown
    assert "odd: never" in shown and "999" in shown, shown


with tempfile.TemporaryDirectory() as work:
    story = Story(5)
    for i, duration in enumerate((50, -50, 30, -30)):
        story.mark(10, 10, BEGIN + i, duration * 1_000_000, "odd", "back")
    define(story, 10, 40, "never")
    define(story, 10, 41, "set")
    for pid, value in ((10, 1), (20, 999), (10, 2)):
        put(story, pid, BEGIN + value, 41, value)
    file = os.path.join(work, "odd.syscap")
    story.write(file)
    check_marks(file)
    check_counters(file)
