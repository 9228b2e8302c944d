# SPDX-License-Identifier: BSD-2-Clause
"""times.py SYSCAP - `syscap cut` at random times keeps what `stat --from --to`
counts, and its result is a sound capture."""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "profile"),
                os.path.join(HERE, "..", "..", "report")]
from capture import Capture  # noqa: E402
from page import Page  # noqa: E402


def run(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE).stdout


def stat(syscap, *words):
    found = json.loads(run(syscap, "stat", "--json", "--no-lookup", *words))
    hot = found.get("hot") or {}
    # The ids of counters may change, as by `cat`, which renumbers undefined
    # ones, too.
    counters = sorted(str({key: c[key] for key in c if key != "id"})
                      for c in found["counters"] if c["category"] is not None)
    return {"functions": sorted(map(str, hot.get("functions", []))),
            "marks": sorted(map(str, found["marks"])),
            "counters": counters, "logs": found["logs"]}


def sound(syscap, path):
    return subprocess.run([syscap, "check", path], stdout=subprocess.DEVNULL,
                          check=False).returncode == 0


def begins(capture, from_, to):
    """Operations that cross an edge lose one of their ends."""
    return [m for m in capture.marks
            if "phase=" in m.message and not from_ <= m.time < to]


def check_messages(syscap, work):
    """D-Bus messages are kept by their time, too."""
    whole, part = (os.path.join(work, name) for name in ("bus", "bus-part"))
    with open(whole, "wb") as file:
        file.write(struct.pack("<IBB66sqq168x", 0xFDCA975E, 1, 1, b"", 0, 40))
        for time in (10, 20, 30):
            file.write(struct.pack("<HhiqB7xHH4s", 32, -1, 7, time, 17, 2, 4,
                                   b"l\1\0\1"))
    run(syscap, "cut", "-q", "--from", "15ns", "--to", "25ns", "-o", part,
        whole)
    kept = run(syscap, "dump", "--json", "--type", "dbus_message", part)
    times = [json.loads(line)["time"] for line in kept.splitlines()]
    assert times == [20], times


def check_heap(syscap, work):
    """In the part, memory that is freed after the part is not freed, and is not
    a leak.  The allocations are a sample."""
    whole, part = (os.path.join(work, name) for name in ("heap", "heap-part"))
    with open(whole, "wb") as file:
        file.write(struct.pack("<IBB66sqq168x", 0xFDCA975E, 1, 1, b"", 0, 40))
        file.write(struct.pack("<HhiqB7x40s8s", 72, -1, -1, 0, 11,
                               b"syscap.memory", b"1000"))
        for time, size in ((10, 1000), (20, 0)):
            file.write(struct.pack("<HhiqB7xQqiHHQ", 56, -1, 7, time, 14, 64,
                                   size, 7, 1, 0, 1 << 20))
    run(syscap, "cut", "-q", "--to", "15ns", "-o", part, whole)
    for path, line, word, n, is_cut in (
            (whole, b"  leaked     0 times", b"leaked", 0, False),
            (part, b"  not freed  1 time", b"not freed", 1, True)):
        assert line in run(syscap, "stat", path), path
        heap = json.loads(run(syscap, "stat", "--json", path))["heap"]
        assert (heap["leaked"], heap["is_cut"]) == (n, is_cut), heap
        assert heap["sample_bytes"] == 1000, heap
        page = run(syscap, "view", "--snapshot", "functions", "--size",
                   "120x8", "--of", "leaked", path)
        assert word + b" (estimate)" in page, page
        assert b"sampled allocation" in page, page
        run(syscap, "report", "-o", path + ".html", path)
        with open(path + ".html", encoding="utf-8") as file:
            facts = Page(file.read()).facts
        assert facts["is_cut"] == str(int(is_cut)), facts
        assert facts["sampled"].startswith("one recorded per 1000 bytes"), facts


def check_peak(syscap, work):
    """The peak of a part has no memory that was allocated before the part."""
    whole, part = (os.path.join(work, name) for name in ("peak", "peak-part"))
    with open(whole, "wb") as file:
        file.write(struct.pack("<IBB66sqq168x", 0xFDCA975E, 1, 1, b"", 0, 40))
        for time, address, size in ((10, 64, 4000), (30, 128, 100)):
            file.write(struct.pack("<HhiqB7xQqiHHQ", 56, -1, 7, time, 14,
                                   address, size, 7, 1, 0, 1 << 20))
    run(syscap, "cut", "-q", "--from", "15ns", "-o", part, whole)
    for path, head, hot, in_use, is_cut in (
            (whole, b"; at most 4.0 KiB at ", b"4.0 KiB in use at the peak",
             b" in use", False),
            (part, b"; at most 100 bytes of these at ",
             b"100 bytes in use at the peak, without earlier allocations",
             b" in use, of this part", True)):
        shown = run(syscap, "stat", "--of", "peak", path)
        assert head in shown and b"Hot functions: " + hot + b"\n" in shown, shown
        heap = json.loads(run(syscap, "stat", "--json", path))["heap"]
        assert heap["is_begin_cut"] == is_cut, heap
        page = run(syscap, "view", "--snapshot", "functions", "--size",
                   "120x8", "--of", "peak", path)
        assert in_use in page, page
        assert is_cut or b"of this part" not in page, page


def main(syscap):
    seed = int(os.environ.get("SEED", random.randrange(1 << 16)))
    print("SEED=%d" % seed)
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as work:
        whole, part = (os.path.join(work, name) for name in ("all", "part"))
        run(sys.executable, os.path.join(HERE, "..", "..", "export", "rich.py"),
            whole, str(seed))
        with open(whole, "rb") as file:
            capture = Capture(file.read())
        for _ in range(20):
            times = sorted(rng.choice(capture.samples).time - capture.begin
                           for _ in range(2))
            words = ["--from", "%dns" % times[0], "--to",
                     "%dns" % (times[1] + 1)]
            run(syscap, "cut", "-q", "--force", "-o", part, *words, whole)
            assert sound(syscap, part) >= sound(syscap, whole), words
            ours, theirs = stat(syscap, part), stat(syscap, *words, whole)
            if begins(capture, times[0] + capture.begin,
                      times[1] + 1 + capture.begin):
                del ours["marks"], theirs["marks"]
            for key, rows in theirs.items():
                assert ours[key] == rows, (words, key, ours[key], rows)
        check_messages(syscap, work)
        check_heap(syscap, work)
        check_peak(syscap, work)
    print("20 parts agree")


main(sys.argv[1])
