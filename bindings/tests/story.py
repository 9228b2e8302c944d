# SPDX-License-Identifier: BSD-2-Clause
"""Record a larger example, and compare its own figures with the capture's.

    story.py COMMAND...

The program measures its steps and prints a table when it ends:

    mark GROUP NAME COUNT MILLISECONDS  number of marks, and their total time
    counter CATEGORY NAME VALUE         the last value
    logs DOMAIN COUNT                   number of lines
    stack REGULAR-EXPRESSION            a function that must be in samples
    processes COUNT                     minimum number of processes

A text is one word, with underscores in place of blanks.  Durations agree within
5 %, and the other figures are equal.  The program runs with a recorder and
samples, and also without a recorder.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

SYSCAP = os.environ["SYSCAP"]
SAMPLE = os.environ.get("STORY_SAMPLE", "1000")
ATTEMPTS = 6
failures = []
agreed = {}  # true in some run: durations, sampled functions


def check(ok, text):
    print("ok   " if ok else "FAIL ", text)
    if not ok:
        failures.append(text)


def run(command, **environment):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("SYSPROF_", "SYSCAP_"))}
    done = subprocess.run(command, env=dict(env, **environment), text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def word(text):
    return text.replace(" ", "_")


class Capture:
    def __init__(self, path):
        run([SYSCAP, "check", path])
        self.stat = json.loads(run([
            SYSCAP, "stat", "--json", "--all", "--functions=5000", path]))
        self.marks = {}  # (group, name): [number, nanoseconds]
        begun = {}
        # Sort by time: the recorder reads the threads' rings one after the
        # other
        told = [json.loads(line) for line in run([
            SYSCAP, "dump", "--json", "--type=mark", path]).splitlines()]
        for mark in sorted(told, key=lambda mark: mark["time"]):
            self.add_mark(mark, begun)
        self.counters = {}
        frames = [json.loads(line) for line in run(
            [SYSCAP, "dump", "--json", path]).splitlines()]
        frames.sort(key=lambda f: (f["type"] != "ctrdef", f["time"]))
        for frame in frames:
            if frame["type"] == "ctrdef":
                for c in frame["counters"]:
                    self.counters[c["id"]] = [
                        word(c["category"]), word(c["name"]), None]
            elif frame["type"] == "ctrset":
                for value in frame["values"]:
                    if value["id"] in self.counters:
                        self.counters[value["id"]][2] = value["value"]
        self.logs = {}
        for line in run([SYSCAP, "dump", "--json", "--type=log",
                         path]).splitlines():
            domain = word(json.loads(line)["domain"])
            self.logs[domain] = self.logs.get(domain, 0) + 1
        self.functions = [f["name"] for f in self.stat["hot"]["functions"]]

    def add_mark(self, mark, begun):
        """Add a mark, or an operation: recorded as a whole, or as begin and
        end."""
        key = word(mark["group"]), word(mark["name"])
        phase = re.match(r"async=(\w+) phase=(\w+)", mark["message"])
        took = mark["duration"]
        if phase and phase.group(2) == "begin":
            begun[mark["pid"], key, phase.group(1)] = mark["time"]
            return
        if phase and phase.group(2) == "end":
            took = mark["time"] - begun[mark["pid"], key, phase.group(1)]
        known = self.marks.setdefault(key, [0, 0])
        known[0] += 1
        known[1] += took

    def check_mark(self, group, name, count, ms):
        n, took = self.marks.get((group, name), (0, 0))
        check(n == int(count), f"{group}/{name}: {n} marks, {count} made")
        if n and float(ms) > 0:
            took /= 1e6
            ok = abs(took - float(ms)) <= 0.05 * float(ms)
            print("ok   " if ok else "other",
                  f"{group}/{name}: {took:.3f} ms, {ms} by its own clock")
            key = f"{group}/{name} has the measured duration"
            agreed[key] = agreed.get(key, False) or ok

    def check_counter(self, category, name, last):
        values = [v for c, n, v in self.counters.values()
                  if (c, n) == (category, name)]
        check(float(last) in [float(v) for v in values if v is not None],
              f"{category}/{name}: {values}, {last} set")

    def check_logs(self, domain, count):
        check(self.logs.get(domain, 0) == int(count),
              f"{self.logs.get(domain, 0)} lines of {domain}, {count} written")

    def check_stack(self, pattern):
        found = [f for f in self.functions if re.search(pattern, f)]
        what = f"samples name {pattern}"
        agreed[what] = agreed.get(what, False) or found != []

    def check_processes(self, count):
        n = len(self.stat["processes"])
        check(n >= int(count), f"{n} processes, at least {count}")


def record_once(command):
    """Record once, and return True if all entries of agreed are true."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "story.syscap")
        told = run([SYSCAP, "record", "-q", "-o", path, "--", *command],
                   SYSCAP_SAMPLE=SAMPLE)
        print(told)
        capture = Capture(path)
        lost = capture.stat["lost"]["types"]
        if set(lost) - {"sample"}:
            # On a busy machine rings come too late, and losses falsify the
            # counts
            print("left out: frames were lost", lost)
            sys.exit(77)
    n = 0
    for line in told.splitlines():
        kind, *rest = line.split()
        checker = getattr(capture, "check_" + kind, None)
        if checker is not None:
            checker(*rest)
            n += 1
    check(n >= 6, f"{n} lines of the table")
    check(capture.functions != [], "there are samples")
    return all(agreed.values())


def main():
    command = sys.argv[1:]
    # If the program loses the processor between two clock readings, the mark
    # and the program's own figure differ by the wait.  A short run may have no
    # sample of a function.
    for _ in range(ATTEMPTS):
        if record_once(command):
            break
    for what, ok in agreed.items():
        check(ok, f"{what}, once in {ATTEMPTS} runs")
    run(command)
    print("ok    it runs without a recorder")
    if failures:
        sys.exit(1)


if __name__ == "__main__":
    main()
