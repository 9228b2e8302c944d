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
sys.path[:0] = [os.path.join(HERE, "..", "..", "profile")]
from capture import Capture  # noqa: E402


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
    print("20 parts agree")


main(sys.argv[1])
