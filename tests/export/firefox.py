# SPDX-License-Identifier: BSD-2-Clause
"""firefox.py SYSCAP [PROFILER_CLI] - a processed profile of the Firefox
Profiler has each sample, mark, value, log line and loss, with and without
filters. With PROFILER_CLI the Profiler's own loader checks the profile."""
import collections
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

from story import BEGIN, PERIOD, Story, shown

syscap, cli = (sys.argv[1:] + [""])[:2]
LOST = (BEGIN + 30_000_000, 5_000_000, 10, 11, 12, 3, 1248)


def make_story():
    story = Story(6)
    story.frame(11, 10, BEGIN, 0x5C000000 | 11,
                b"syscap.thread".ljust(40, b"\0") + b"worker </script>\0")
    at, duration, pid, tid, frames, samples, size = LOST
    story.frame(10, pid, at, 0x5C000000 | tid, struct.pack("<q", duration) +
                b"syscap".ljust(24, b"\0") + b"lost".ljust(40, b"\0") +
                b"frames=%d bytes=%d tid=%d sample=%d mark=%d\0" %
                (frames, size, tid, samples, frames - samples))
    # a second process with the same pid
    end = BEGIN + 3_000_000_000
    story.frame(6, 20, end, 0, b"")
    story.frame(4, 20, end + 1, 0, b"/usr/bin/another\0")
    story.mark(20, 20, end + 2, 7, "app", "again")
    # a free by another thread, and a free without an allocation
    for at, tid, address, size in ((400, 10, 0x9000, 77), (401, 11, 0x9000, 0),
                                   (402, 11, 0xA000, 0)):
        at = BEGIN + at * 1000
        story.frame(14, 10, at, 0, struct.pack(
            "<QqiHHQ", address, size, tid, 1, 0, story.address(1)))
        story.allocations.append((at, 10, tid, address, size))
    # NaNs and infinities are omitted
    story.frame(9, 10, BEGIN + 1, 0, struct.pack("<HHI8Id56x", 1, 0, 0, 8,
                                                 *[0] * 7, float("nan")))
    return story


def ns(ms):
    return BEGIN + round(ms * 1_000_000)


def table(thread, name):
    """Rows of a table, after a check of the columns' lengths."""
    columns = {k: v for k, v in thread[name].items() if isinstance(v, list)}
    n = thread[name]["length"]
    assert all(len(v) == n for v in columns.values()), name
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


class Shared:
    def __init__(self, whole):
        self.strings = whole["shared"]["stringArray"]
        tables = {name: table(whole["shared"], name)
                  for name in ("stackTable", "frameTable", "funcTable",
                               "resourceTable", "nativeSymbols", "sources",
                               "sourceLocationTable")}
        self.stacks = []
        for i, row in enumerate(tables["stackTable"]):
            frame = tables["frameTable"][row["frame"]]
            assert whole["meta"]["categories"][frame["category"]]
            function = tables["funcTable"][frame["func"]]
            assert function["resource"] == -1 or \
                tables["resourceTable"][function["resource"]]
            assert 0 <= row["prefixOffset"] <= i
            caller = self.stacks[i - row["prefixOffset"]] \
                if row["prefixOffset"] else ()
            self.stacks.append(caller + (self.strings[function["name"]],))


def read(whole):
    """Samples, marks, logs, losses and values, in the form of story.py."""
    shared = Shared(whole)
    samples, marks, logs, losses, values = [], [], [], [], []
    names = {}
    schemas = {s["name"] for s in whole["meta"]["markerSchema"]}
    for thread in whole["threads"]:
        who = int(thread["pid"].split(".")[0]), thread["tid"]
        names[thread["pid"], thread["tid"]] = thread["name"]
        assert thread["samples"]["weightType"] == "tracing-ms"
        last = None
        for row in table(thread, "samples"):
            ticks = round(row["weight"] * 1_000_000 / PERIOD)
            assert row["threadCPUDelta"] == ticks * PERIOD
            assert last is None or row["time"] >= last
            last = row["time"]
            samples.append((ns(last), *who, ticks,
                            list(shared.stacks[row["stack"]])))
        for row in table(thread, "markers"):
            data, at = row["data"], ns(row["startTime"])
            assert data["type"] in schemas
            assert (row["phase"] == 0) == (row["endTime"] is None)
            duration = 0 if row["phase"] == 0 else ns(row["endTime"]) - at
            message = data.get("message", "")
            if data["type"] == "syscap-lost":
                losses.append((at, duration, *who, data["frames"],
                               data["samples"], data["bytes"]))
            elif data["type"] == "syscap-log":
                assert data["severity"] == "warning"
                logs.append((at, *who, data["domain"], message))
            else:
                group, _, name = shared.strings[row["name"]].partition("/")
                marks.append((at, duration, *who, group, name, message))
    for counter in whole.get("counters", []):
        assert whole["threads"][counter["mainThreadIndex"]]["pid"] == \
            counter["pid"]
        total = 0
        for row in table(counter, "samples"):
            total += row["count"]
            values.append((ns(row["time"]), int(counter["pid"]),
                           counter["category"], counter["name"], total))
    return samples, marks, logs, losses, values, names


def read_allocations(whole):
    """(time, pid, tid, address, bytes, stack); a free has the size of its
    allocation."""
    shared, found = Shared(whole), []
    for thread in whole["threads"]:
        if "nativeAllocations" not in thread:
            continue
        assert thread["isMainThread"]
        assert thread["nativeAllocations"]["weightType"] == "bytes"
        last = None
        for row in table(thread, "nativeAllocations"):
            assert last is None or row["time"] >= last
            last = row["time"]
            found.append((ns(last), int(thread["pid"]), row["threadId"],
                          row["memoryAddress"], row["weight"],
                          shared.stacks[row["stack"]]))
    return found


def with_frees(allocations, passes):
    """The expected allocations of the story: those that pass, and their frees,
    with the same weight."""
    held, found = {}, []
    for time_, pid, tid, address, size in sorted(allocations):
        if size == 0:
            size = -held.pop((pid, address), 0)
        else:
            held.pop((pid, address), 0)
            if not passes(time_, pid, tid):
                continue
            held[pid, address] = size
        if size != 0:
            found.append((time_, pid, tid, address, size, ("work",)))
    return found


def check(story, path, args, passes):
    done = subprocess.run([syscap, "export", "-f", "firefox", *args, path],
                          check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    whole = json.loads(done.stdout)
    samples, marks, logs, losses, values, names = read(whole)
    wanted = with_frees(story.allocations, passes)
    assert read_allocations(whole) == wanted, (args, "allocations")
    assert args == ("--thread=11",) or sum(a[4] < 0 for a in wanted) > 5
    assert b"allocations" not in done.stderr, done.stderr
    assert b"</script>" in done.stdout, "the text is data, not HTML"
    assert sorted(samples) == sorted(
        s for s in story.samples if passes(*s[:3])), "samples"
    assert sorted(marks) == sorted(
        m[:4] + tuple(map(shown, m[4:])) for m in story.marks
        if passes(m[0], m[2], m[3])), "marks"
    assert sorted(logs) == sorted(
        e for e in story.logs if passes(*e[:3])), "logs"
    assert losses == [LOST][:passes(LOST[0], LOST[2], LOST[3])], losses
    # values have no thread, so only a filter by process keeps values
    wanted = [v for v in story.values if passes(v[0], v[1], -1)]
    assert sorted(values) == sorted(wanted), "values"
    if passes(BEGIN + 1, 10, -1):
        assert b"note: omitted 1 counter value that is not a number" in \
            done.stderr
    assert names.get(("10", 11), "worker </script>") == "worker </script>"
    if not args:
        assert ("20.1", 20) in names, names
    return done.stdout


class Loader:
    """A daemon of profiler-cli with one loaded file."""

    def __init__(self, folder, path):
        self.env = dict(os.environ, PROFILER_CLI_SESSION_DIR=folder)
        # not `load`, which waits for the daemon only half a second
        self.daemon = subprocess.Popen(
            ["node", cli, "--daemon", path, "--session", "s"], env=self.env,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # `status` before the daemon listens removes the session's files
        session = os.path.join(folder, "s.json")
        while not os.path.exists(session) or \
                self.run("status").returncode != 0:
            assert self.daemon.poll() is None, "the file is not loaded"
            time.sleep(0.2)

    def run(self, *args):
        return subprocess.run(["node", cli, *args, "--session", "s"],
                              env=self.env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)

    def ask(self, *args):
        done = self.run(*args, "--json")
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    def close(self):
        self.run("stop", "s")
        self.daemon.kill()
        self.daemon.wait()


def check_loaded_heap(loader, story, whole, threads):
    """Allocated and freed bytes."""
    # For a thread without allocations, profiler-cli would sum up the samples.
    heaps = {(t["pid"], t["tid"]) for t in whole["threads"]
             if "nativeAllocations" in t}
    allocations = with_frees(story.allocations, lambda at, pid, tid: True)
    for strategy, sign in (("native-allocations", 1),
                           ("native-deallocations-sites", -1)):
        wanted = sum(a[4] for a in allocations if a[4] * sign > 0)
        loader.ask("strategy", strategy)
        found = sum(
            function["selfSamples"] for thread in threads
            if (thread["pid"], thread["tid"]) in heaps
            for function in loader.ask("thread", "functions", "--thread",
                                       thread["threadHandle"])["functions"])
        assert found == wanted != 0, (strategy, found, wanted)


def check_loader(folder, story, out):
    path = os.path.join(folder, "story.json")
    with open(path, "wb") as file:
        file.write(out)
    loader = Loader(folder, path)
    try:
        threads = loader.ask("thread", "list")["threads"]
        for thread in threads:
            key = int(thread["pid"].split(".")[0]), thread["tid"]
            mine = [s for s in story.samples if s[1:3] == key]
            if "." in thread["pid"]:
                mine = []
            selfs, totals = collections.Counter(), collections.Counter()
            for _, _, _, ticks, names in mine:
                selfs[names[-1]] += ticks
                for name in set(names):
                    totals[name] += ticks
            said = loader.ask("thread", "functions", "--thread",
                              thread["threadHandle"])["functions"]
            tick = 1_000_000 / PERIOD  # of a ms
            assert {f["name"]: (round(f["selfSamples"] * tick),
                                round(f["totalSamples"] * tick))
                    for f in said} == \
                {n: (selfs[n], totals[n]) for n in totals}, thread
        said = loader.ask("profile", "markers", "--limit", "0")
        found = collections.Counter(m["markerType"] for m in said["markers"])
        assert found == {"syscap-mark": len(story.marks),
                         "syscap-log": len(story.logs), "syscap-lost": 1}
        counters = loader.ask("counter", "list")["counters"]
        assert {c["name"]: c["rangeSampleCount"] for c in counters} == \
            collections.Counter(v[3] for v in story.values)
        for counter in counters:
            mine = [v[4] for v in story.values if v[3] == counter["name"]]
            assert counter["stats"][0]["value"] == max(mine) - min(mine)
        check_loaded_heap(loader, story, json.loads(out), threads)
    finally:
        loader.close()


with tempfile.TemporaryDirectory() as work:
    capture = make_story()
    file = os.path.join(work, "story.syscap")
    capture.write(file)
    written = check(capture, file, (), lambda at, pid, tid: True)
    if cli:
        check_loader(work, capture, written)
        sys.exit()
    check(capture, file, ("--thread=11",), lambda at, pid, tid: tid == 11)
    check(capture, file, ("--pid=10", "--from=20ms", "--to=120ms"),
          lambda at, pid, tid: pid == 10 and
          20_000_000 <= at - BEGIN < 120_000_000)
