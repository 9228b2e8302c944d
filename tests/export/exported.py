# SPDX-License-Identifier: BSD-2-Clause
"""exported.py - readers of exports, into the same lists for each format.

    marks       (time, duration, pid, tid, group, name, message)
    operations  (from, to, pid, group)
    arrows      ((time, pid, tid), (time, pid, tid))
    values      (time, pid, name, value)        name: "CATEGORY: NAME"
    logs        (time, pid, tid, severity, domain, message)
    losses      (begin, end, frames, samples, bytes)
    samples     {(pid, tid, (name, ...)): weight}, outermost first
    allocations (time, pid, tid, address, bytes)
    threads     {(pid, tid): name}

The readers also check the rules of the format.
"""
import collections
import csv
import decimal
import io
import json
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def empty():
    lists = {key: [] for key in ("marks", "operations", "arrows", "values",
                                 "logs", "losses", "allocations")}
    lists["samples"] = collections.Counter()
    lists["threads"] = {}
    return lists


def is_part(message):
    return re.match(r"async=[0-9a-f]+ phase=", message or "") is not None


# --------------------------------------------------------------- chrome

def read_chrome(data, begin, tick):
    """@begin: the origin of times.  @tick: the weight of a sample."""
    found = empty()
    open_pairs, flows, profiles, last = {}, {}, {}, {}

    def ns(number):
        value = decimal.Decimal(number) * 1000
        assert value == int(value), "not a whole number of ns"
        return int(value)

    whole = json.loads(data, parse_float=decimal.Decimal)
    assert set(whole) == {"displayTimeUnit", "traceEvents"}
    for event in whole["traceEvents"]:
        kind, args = event["ph"], event.get("args", {})
        if kind == "M":
            if event["name"] == "thread_name":
                found["threads"][event["pid"], event["tid"]] = args["name"]
            continue
        time, who = begin + ns(event["ts"]), (event["pid"], event["tid"])
        assert event["ts"] >= 0
        named = (event.get("cat"), event.get("name"), args.get("message", ""))
        if kind == "X":
            found["marks"].append((time, ns(event["dur"]), *who, *named))
        elif kind == "I":
            assert event["s"] == "t"
            if "severity" in args:
                found["logs"].append((time, *who, args["severity"],
                                      event["name"], args["message"]))
            elif "bytes" in args:
                found["allocations"].append(
                    (time, *who, int(args["address"], 16), args["bytes"]))
            else:
                found["marks"].append((time, 0, *who, *named))
        elif kind == "C":
            found["values"].append((time, event["pid"], event["name"],
                                    args["value"]))
        elif kind in "bne":
            key = (event["pid"], event["cat"], event["id2"]["local"])
            chrome_async(found, open_pairs, key, kind, event, time, who, args)
        elif kind in "sf":
            if kind == "f":
                assert event["bp"] == "e"
            flows.setdefault(event["id"], {})[kind] = (time, *who)
        else:
            assert kind == "P", kind
            chrome_profile(found, profiles, last, event, time, who, ns, tick)
    assert not any(open_pairs.values()), "never ended"
    found["arrows"] = [(flow["s"], flow["f"]) for flow in flows.values()]
    return found


def chrome_async(found, open_pairs, key, kind, event, time, who, args):
    stack = open_pairs.setdefault(key, [])
    message = args.get("message", "")
    mark = (*who, event["cat"], args.get("mark", event["name"]), message)
    if kind == "b":
        stack.append((time, mark, args))
    elif kind == "n":
        assert stack, "a step of nothing"
        found["marks"].append((time, 0, *mark))
    else:
        start, first, about = stack.pop()
        local = key[2].split("0x")[0]
        if local == "lost ":
            found["losses"].append((start, time, about["frames"],
                                    about["samples"], about["bytes"]))
            return
        if local in ("overlapping ", "whole "):
            found["marks"].append((start, time - start, *first))
        else:
            if is_part(first[4]):
                found["marks"].append((start, 0, *first))
            if is_part(message):
                found["marks"].append((time, 0, *mark))
        if local != "overlapping ":
            found["operations"].append((start, time, key[0], key[1]))


def chrome_profile(found, profiles, last, event, time, who, ns, tick):
    data = event["args"]["data"]
    nodes = profiles.setdefault((who, event["id"]), {})
    if event["name"] == "Profile":
        last[who] = data["startTime"]
        return
    for node in data["cpuProfile"]["nodes"]:
        name = node["callFrame"]["functionName"]
        parent = nodes[node["parent"]] if "parent" in node else None
        nodes[node["id"]] = () if parent is None else parent + (name,)
    samples, deltas = data["cpuProfile"]["samples"], data["timeDeltas"]
    assert len(samples) == len(deltas) and all(d >= 0 for d in deltas)
    for node in samples:
        found["samples"][(*who, nodes[node])] += tick(who[0])


# -------------------------------------------------------------- perfetto

ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
PLAIN = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b'"': b'"', b"'": b"'",
         b"\\": b"\\"}


def unescape(quoted):
    return ESCAPE.sub(
        lambda m: PLAIN.get(m.group(1)) or bytes([int(m.group(1), 8)]),
        quoted).decode()


def decode(data, protoc):
    """Packets as {field: [value]}, from the output of protoc."""
    done = subprocess.run(
        [protoc, "--proto_path=" + HERE, "--decode=syscap.Trace",
         "perfetto.proto"], input=data, stdout=subprocess.PIPE, check=True)
    root = collections.defaultdict(list)
    stack = [root]
    for line in done.stdout.split(b"\n"):
        line = line.strip()
        if line.endswith(b" {"):
            inner = collections.defaultdict(list)
            stack[-1][line[:-2].decode()].append(inner)
            stack.append(inner)
        elif line == b"}":
            stack.pop()
        elif line:
            key, value = line.split(b": ", 1)
            assert not key.isdigit(), "unknown field: %s" % line
            stack[-1][key.decode()].append(
                unescape(value[1:-1]) if value[:1] == b'"'
                else value == b"true" if value in (b"true", b"false")
                else int(value) if value.lstrip(b"-").isdigit()
                else float(value))
    return root["packet"]


def one(message, key, other=None):
    assert len(message[key]) <= 1, key
    return message[key][0] if message[key] else other


class Perfetto:
    def __init__(self, data, protoc):
        self.found = empty()
        self.tables = collections.defaultdict(dict)
        self.tracks, self.open, self.time = {}, {}, {}
        self.flows = collections.defaultdict(dict)
        packets = decode(data, protoc)
        assert one(packets[0], "sequence_flags") == 1
        assert one(packets[0], "is_first") and one(packets[0],
                                                   "clock_snapshot")
        self.clocks = {one(c, "id"): one(c, "time") for c in
                       packets[0]["clock_snapshot"][0]["clocks"]}
        assert one(packets[0]["clock_snapshot"][0], "primary") == 3
        assert one(one(packets[1], "defaults"), "clock") == 3
        self.unit = one(one(one(one(packets[1], "defaults"), "sample"),
                            "weight"), "unit")
        for packet in packets:
            assert one(packet, "sequence") == 1
            if packet is not packets[0]:
                assert one(packet, "sequence_flags") == 2
            self.take(packet)
        assert not any(self.open.values()), "never ended"
        self.found["arrows"] = [(f["out"], f["in"])
                                for f in self.flows.values()]

    def take(self, packet):
        if packet["interned"]:
            self.intern(packet["interned"][0])
        elif packet["track"]:
            track = packet["track"][0]
            uuid = one(track, "uuid")
            assert uuid not in self.tracks
            if track["parent"]:
                assert one(track, "parent") in self.tracks
            self.tracks[uuid] = track
            thread = one(track, "thread")
            if thread and one(thread, "name"):
                self.found["threads"][one(thread, "pid"),
                                      one(thread, "tid")] = \
                    one(thread, "name")
        elif packet["stack_sample"]:
            sample = packet["stack_sample"][0]
            task = one(sample, "task")
            self.found["samples"][one(task, "pid", -1), one(task, "tid", -1),
                                  self.stack(one(sample, "stack"))] += \
                one(sample, "weight")
            assert packet["timestamp"]
        elif packet["track_event"]:
            self.event(packet["track_event"][0], one(packet, "timestamp"))

    def intern(self, data):
        for table in data:
            for item in data[table]:
                number = one(item, "id")
                assert number > 0 and number not in self.tables[table]
                self.tables[table][number] = item
        for mapping in data["mappings"]:
            for path in mapping["path"]:
                assert path in self.tables["paths"]
        for frame in data["frames"]:
            assert one(frame, "function") in self.tables["functions"]
            assert one(frame, "mapping") is None or \
                one(frame, "mapping") in self.tables["mappings"]
        for stack in data["stacks"]:
            assert all(f in self.tables["frames"] for f in stack["frames"])

    def text(self, table, number):
        return one(self.tables[table][number], "text", "")

    def stack(self, number):
        frames = [self.tables["frames"][f]
                  for f in self.tables["stacks"][number]["frames"]]
        return tuple(self.text("functions", one(f, "function"))
                     for f in frames)

    def who(self, track):
        """(pid, tid) of the track; None if the track has none."""
        of = self.tracks[track]
        thread = one(of, "thread")
        if thread:
            return one(thread, "pid"), one(thread, "tid")
        parent = self.tracks.get(one(of, "parent"), of)
        process = one(parent, "process")
        lane = re.search(r"(-?\d+): overlapping marks$", one(of, "name", ""))
        return (one(process, "pid") if process else -1,
                int(lane.group(1)) if lane else -1)

    def event(self, event, time):
        kind, track = one(event, "type"), one(event, "track")
        assert track in self.tracks, "an event before its track"
        notes = {one(n, "name"): one(n, "text") if n["text"]
                 else one(n, "number") for n in event["annotations"]}
        if kind == 4:
            value = one(event, "integer")
            self.found["values"].append(
                (time, self.who(track)[0], one(self.tracks[track], "name"),
                 one(event, "double") if value is None else value))
            return
        if event["name_id"]:
            group = self.text("categories", one(event, "category_ids"))
            name = self.text("names", one(event, "name_id"))
        else:
            group, name = one(event, "categories"), one(event, "name")
        message = notes.get("message", "")
        pid, tid = self.who(track)
        tid = notes.get("tid", tid)
        mark = (pid, tid, group, notes.get("mark", name), message)
        for flow in event["flows"]:
            self.flows[flow]["out"] = (time, pid, tid)
        for flow in event["flow_ends"]:
            self.flows[flow]["in"] = (time, pid, tid)
        if kind == 3 and (event["log"] or event["stack"]):
            self.special(event, notes, time, mark)
            return
        # In file order, the events of a track are nested.
        assert time >= self.time.get(track, time), "times fall"
        self.time[track] = time
        stack = self.open.setdefault(track, [])
        is_thread = bool(self.tracks[track]["thread"]) or \
            " thread" in one(self.tracks[track], "name", "") or \
            "overlapping" in one(self.tracks[track], "name", "")
        if kind == 1:
            stack.append((time, mark, notes, is_thread))
        elif kind == 3:
            assert is_thread or stack, "a step of nothing"
            self.found["marks"].append((time, 0, *mark))
        else:
            self.end(stack.pop(), time, notes, message)

    def end(self, begun, time, notes, message):
        start, mark, about, is_thread = begun
        if is_thread:
            self.found["marks"].append((start, time - start, *mark))
        elif "frames" in about:
            self.found["losses"].append((start, time, about["frames"],
                                         about["samples"], about["bytes"]))
        else:
            self.found["operations"].append((start, time, mark[0], mark[2]))
            if " phase=whole" in mark[4]:
                self.found["marks"].append((start, time - start, *mark))
            elif mark[4]:
                self.found["marks"].append((start, 0, *mark))
            if message:
                self.found["marks"].append(
                    (time, 0, mark[0], notes.get("tid", -1), mark[2],
                     notes.get("mark", mark[3]), message))

    def special(self, event, notes, time, mark):
        log = one(event, "log")
        if log:
            assert one(log, "priority") in range(2, 8)
            self.found["logs"].append(
                (time, mark[0], mark[1], one(event, "name"), notes["domain"],
                 self.text("bodies", one(log, "body"))))
        else:
            assert one(event, "stack_weight") == notes["bytes"]
            assert one(event, "stack") in self.tables["stacks"]
            self.found["allocations"].append(
                (time, mark[0], mark[1], notes["address"], notes["bytes"]))


# ------------------------------------------------------------------- csv

def rows_of(data):
    assert data.endswith(b"\r\n")
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def number(field):
    return int(field) if field else -1


def read_csv(tables):
    """@tables: {name: content of the table}."""
    found = empty()
    for r in rows_of(tables["marks"]):
        found["marks"].append((int(r["time_ns"]), int(r["duration_ns"]),
                               number(r["pid"]), number(r["tid"]), r["group"],
                               r["name"], r["message"]))
    for r in rows_of(tables["counters"]):
        value = float(r["value"] or "nan") if r["type"] == "double" \
            else int(r["value"])
        name = r["category"] + ": " + r["name"] if r["name"] \
            else "counter " + r["id"]
        found["values"].append((int(r["time_ns"]), number(r["pid"]), name,
                                value))
    for r in rows_of(tables["logs"]):
        found["logs"].append((int(r["time_ns"]), number(r["pid"]),
                              number(r["tid"]), r["severity"], r["domain"],
                              r["message"]))
    for r in rows_of(tables["losses"]):
        found["losses"].append(tuple(int(r[key]) for key in (
            "begin_ns", "end_ns", "frames", "samples", "bytes")))
    for r in rows_of(tables["allocations"]):
        found["allocations"].append(
            (int(r["time_ns"]), number(r["pid"]), number(r["tid"]),
             int(r["address"]), int(r["bytes"])))
    for r in rows_of(tables["samples"]):
        stack = tuple(r["stack"].split(";"))
        weight = r.get("weight_ns") or r.get("weight_ticks")
        found["samples"][number(r["pid"]), number(r["tid"]), stack] += \
            int(weight)
    return found
