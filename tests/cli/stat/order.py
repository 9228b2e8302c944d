# SPDX-License-Identifier: BSD-2-Clause
"""order.py SYSCAP - order of the rows of `syscap stat`. The rows are in the
order of --sort, as text and as JSON, for the process and for each thread.
--top keeps the first rows."""
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "../../export"))
from story import BEGIN, Story, text  # noqa: E402

syscap = sys.argv[1]


def stat(path, *args):
    return subprocess.run([syscap, "stat", *args, path], check=True,
                          stdout=subprocess.PIPE).stdout.decode()


def ask(path, *args):
    return json.loads(stat(path, "--json", *args))


def key_of(table, key):
    """The sort key of the rows; None: the table does not have this key."""
    if key == "name":
        if table == "marks":
            return lambda row: (row["group"].encode(), row["name"].encode())
        return lambda row: row["name"].encode()
    names = {"functions": {"self": "self", "total": "total"},
             "marks": {"count": "count", "total": "total_ns",
                       "p99": "p99_ns", "max": "max_ns"},
             "counters": {}}[table]
    return (lambda row: -row[names[key]]) if key in names else None


def tables(answer):
    yield "functions", answer["hot"]["functions"]
    for thread in answer["hot"]["threads"]:
        yield "functions", thread["functions"]
    yield "marks", answer["marks"]
    yield "counters", answer["counters"]


def check(path, key):
    usual = list(tables(ask(path, "--threads")))
    sorted_by = list(tables(ask(path, "--threads", "--sort", key)))
    top = list(tables(ask(path, "--threads", "--sort", key, "--top", "2")))
    assert len(usual) == len(sorted_by) == len(top) > 4
    for (table, before), (_, after), (_, cut) in zip(usual, sorted_by, top):
        by = key_of(table, key)
        assert len(before) >= 2, table
        if by is None:
            assert before == after, (table, key)
        else:
            assert list(map(by, after)) == sorted(map(by, before)), \
                (table, key)
            rows = list(map(json.dumps, before))
            assert sorted(rows) == sorted(map(json.dumps, after))
        assert cut == after[:2], (table, key)


def rows_below(lines, title):
    at = next(i for i, line in enumerate(lines) if line.startswith(title))
    end = lines.index("", at) if "" in lines[at:] else len(lines)
    return lines[at + 2:end]


def check_text(path):
    out = stat(path, "--sort", "count", "--top", "2").splitlines()
    marks = rows_below(out, "Marks")
    assert [row.split()[:3] for row in marks[:2]] == \
        [["many", "short", "200"], ["frame", "draw", "60"]], marks
    assert "more: --all" in marks[2] and len(marks) == 3, marks
    functions = rows_below(out, "Hot functions")
    assert len(functions) == 3 and "more: --functions" in functions[2]
    more = stat(path, "--top", "2", "--functions", "4").splitlines()
    assert len(rows_below(more, "Hot functions")) == 5
    names = stat(path, "--sort", "name").splitlines()
    assert [row.split()[0] for row in rows_below(names, "Marks")] == \
        ["app", "frame", "frame", "late", "many", "rare"]
    assert rows_below(names, "Counters")[0].split()[:2] == ["zoo", "ant"]


with tempfile.TemporaryDirectory() as work:
    story = Story(17)
    for i in range(199):
        story.mark(10, 10, BEGIN + i, i, "many", "short")
    # this name has the longest mark of all, and the shortest 99th percentile
    story.mark(10, 10, BEGIN, 90_000_000, "many", "short")
    story.mark(10, 10, BEGIN, 70_000_000, "rare", "long")
    # a counter with the last category and the first name
    story.frame(8, 10, BEGIN, 0, struct.pack("<HHI", 1, 0, 0) +
                text("zoo", 32) + text("ant", 32) + text("", 52) +
                struct.pack("<IQ", 9, 0))
    file = os.path.join(work, "order.syscap")
    story.write(file)
    for word in ("self", "total", "count", "p99", "max", "name"):
        check(file, word)
    check_text(file)
