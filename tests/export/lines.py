# SPDX-License-Identifier: BSD-2-Clause
"""lines.py SYSCAP CAPTURE GO CALLGRIND_ANNOTATE PROTOC - lines and inlined
functions in exports. The self cost of each line, and each stack with inlined
functions, equal those of an independent reader (tests/profile). Every export
that can hold these data has them.  An empty program name: the program is not
installed."""
import collections
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "profile"))

from answers import is_inlined, seen, split
from capture import Capture
from exported import decode, one

syscap, path, go, annotate, protoc = sys.argv[1:]


def export(form, *args):
    return subprocess.run([syscap, "export", "-f", form, *args, path],
                          check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def wanted(capture, want):
    """{((name, is_inlined, file or None, line), ...): weight}"""
    stacks = collections.Counter()
    for sample in capture.samples:
        frames = seen(sample, want).frames
        if split(frames)[1]:
            continue
        stacks[tuple((f[0], is_inlined(f), *(f.line or (None, 0)))
                     for f in frames)] += capture.weight(sample)
    return stacks


def marked(stacks):
    """Names of inlined functions in formats without a field for them."""
    found = collections.Counter()
    for stack, weight in stacks.items():
        found[tuple((name + (" (inlined)" if inlined else ""), file, line)
                    for name, inlined, file, line in stack)] += weight
    return found


def check(what, ours, theirs):
    if ours != theirs:
        print("%s differs" % what)
        print("  export has", list((ours - theirs).items())[:2])
        print("  reader has", list((theirs - ours).items())[:2])
        sys.exit(1)


def check_speedscope(stacks, args):
    whole = json.loads(export("speedscope", *args))
    frames = whole["shared"]["frames"]
    found = collections.Counter()
    for profile in whole["profiles"]:
        if profile["type"] != "sampled":
            continue
        for stack, weight in zip(profile["samples"], profile["weights"]):
            found[tuple((frames[f]["name"],
                         frames[f]["file"] if "line" in frames[f] else None,
                         frames[f].get("line", 0)) for f in stack)] += weight
    check("speedscope", found, marked(stacks))


def check_firefox(stacks, args):
    whole = json.loads(export("firefox", *args))
    shared = whole["shared"]
    text, funcs = shared["stringArray"], shared["funcTable"]
    frames, table = shared["frameTable"], shared["stackTable"]
    sources = shared["sources"]
    for part in (frames, funcs, table, sources):
        for key, column in part.items():
            assert key == "length" or len(column) == part["length"], key

    def frame_of(number):
        func, line = frames["func"][number], frames["line"][number]
        source = funcs["source"][func]
        file = text[sources["filename"][source]] if line else None
        return text[funcs["name"][func]], file, line or 0

    def stack_of(number):
        frame, back = table["frame"][number], table["prefixOffset"][number]
        return (stack_of(number - back) if back else ()) + (frame_of(frame),)

    # In this format a function has one file, and no lines of other files.
    files = collections.defaultdict(set)
    for stack in marked(stacks):
        for name, file, _ in stack:
            files[name].add(file)
    found, theirs = collections.Counter(), collections.Counter()

    def plain(stack):
        return tuple((n, f, li) if len(files[n] - {None}) < 2 else (n,)
                     for n, f, li in stack)

    for thread in whole["threads"]:
        samples = thread["samples"]
        for stack, weight in zip(samples["stack"], samples["weight"]):
            found[plain(stack_of(stack))] += round(weight * 10**6)
    for stack, weight in marked(stacks).items():
        theirs[plain(stack)] += weight
    check("firefox", found, theirs)


def check_perfetto(stacks, args):
    tables = collections.defaultdict(dict)
    found = collections.Counter()

    def text(table, number):
        return one(tables[table][number], "text", "")

    def frame_of(number):
        frame = tables["frames"][number]
        source = one(frame, "source")
        return (text("functions", one(frame, "function")),
                text("sources", source) if source else None,
                one(frame, "line", 0))

    for packet in decode(export("perfetto", *args), protoc):
        for data in packet["interned"]:
            for table in data:
                for item in data[table]:
                    tables[table][one(item, "id")] = item
        for sample in packet["stack_sample"]:
            stack = tables["stacks"][one(sample, "stack")]
            found[tuple(map(frame_of, stack["frames"]))] += \
                one(sample, "weight")
    check("perfetto", found, marked(stacks))


def check_chrome(stacks, args, period):
    found, nodes = collections.Counter(), {}
    for event in json.loads(export("chrome", *args))["traceEvents"]:
        if event["ph"] != "P" or event["name"] != "ProfileChunk":
            continue
        profile = event["args"]["data"]["cpuProfile"]
        known = nodes.setdefault(event["id"], {})
        for node in profile["nodes"]:
            of = node["callFrame"]
            has_line = "lineNumber" in of
            frame = (of["functionName"], of["url"] if has_line else None,
                     of["lineNumber"] + 1 if has_line else 0)
            known[node["id"]] = known[node["parent"]] + (frame,) \
                if "parent" in node else ()
        for node in profile["samples"]:
            found[known[node]] += period
    check("chrome", found, marked(stacks))


def check_csv(stacks, args):
    found, theirs = collections.Counter(), collections.Counter()
    for row in csv.DictReader(io.StringIO(
            export("csv", "--table=samples", *args).decode())):
        found[row["stack"], row["function"], row["file"],
              row["line"]] += int(row["weight_ns"])
    for stack, weight in stacks.items():
        name, _, file, line = stack[-1]
        theirs[";".join(n.replace(";", ":") + ("_[i]" if i else "")
                        for n, i, _, _ in stack),
               name, file or "", str(line) if line else ""] += weight
    check("csv", found, theirs)


def check_pprof(stacks, args):
    """Locations in the output of `go tool pprof -raw`, several lines each."""
    with tempfile.NamedTemporaryFile(suffix=".pb.gz") as file:
        file.write(export("pprof", *args))
        file.flush()
        said = subprocess.run([go, "tool", "pprof", "-symbolize=none", "-raw",
                               file.name],
                              check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout.decode()
    samples, places = said.split("\nLocations\n")
    locations, current = {}, None
    for line in places.split("\nMappings\n")[0].splitlines():
        match = re.match(r" *(\d+): 0x0 M=\d+ (.*)", line)
        if match:
            current = locations[match[1]] = []
        name, file, number = re.match(
            r" *(?:\d+: 0x0 M=\d+ )?(.*) (\S*):(\d+)(?::\d+)? s=0",
            line).groups()
        current.append((name, file if int(number) else None, int(number)))
    found = collections.Counter()
    for line in samples.splitlines():
        match = re.match(r" *\d+ +(\d+): ([\d ]+)$", line)
        if match:
            found[tuple(tuple(locations[n]) for n in
                        match[2].split())] += int(match[1])
    theirs = collections.Counter()
    for stack, weight in stacks.items():
        whole = []
        for name, inlined, file, line in stack:
            frame = (name, file, line)
            if inlined:
                whole[-1].insert(0, frame)
            else:
                whole.append([frame])
        theirs[tuple(map(tuple, reversed(whole)))] += weight
    check("pprof", found, theirs)


def check_callgrind(stacks, args):
    """Costs of lines with full names; then the sums of callgrind_annotate."""
    found, names = collections.Counter(), {}
    file = function = None
    is_call = False

    def named(kind, value):
        number, _, name = value.partition(" ")
        if name:
            assert (kind, number) not in names
            names[kind, number] = name
        return names[kind, number]

    out = export("callgrind", *args)
    for line in out.decode().splitlines():
        key, _, value = line.partition("=")
        if key in ("fl", "fi"):
            file = named("file", value)
        elif key == "cfi":
            named("file", value)
        elif key in ("ob", "cob"):
            named("object", value)
        elif key == "fn":
            function = named("function", value)
        elif key == "cfn":
            named("function", value)
        elif key == "calls":
            is_call = True
        elif re.match(r"\d+ \d+$", line):
            number, cost = map(int, line.split())
            if not is_call and cost:
                found[function, file if number else None, number] += cost
            is_call = False
    theirs = collections.Counter()
    for stack, weight in marked(stacks).items():
        theirs[stack[-1]] += weight
    check("callgrind", found, theirs)
    if not annotate:
        return
    with tempfile.NamedTemporaryFile() as temporary:
        temporary.write(out)
        temporary.flush()
        done = subprocess.run([annotate, "--auto=yes", "--threshold=100",
                               temporary.name], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # A file without self cost has no lines. The positions of ticks decide
    # whether there is such a file
    said = re.sub(rb"Use of uninitialized value \$(pairs\[0\]|high) .*\n", b"",
                  done.stderr)
    assert b"uninitialized" not in said, said
    by_line = collections.Counter()
    for (_, file, line), cost in theirs.items():
        if file and file.endswith("inlined.c"):
            by_line[line] += cost
    with open(next(f for _, f, _ in theirs if f and
                   f.endswith("inlined.c"))) as source:
        text = source.read().split("\n")
    said = done.stdout.decode()
    for line, cost in by_line.items():
        row = r"^ *%s \( *[\d.]+%%\)  %s$" % (
            format(cost, ","), re.escape(text[line - 1]))
        assert re.search(row, said, re.M), (row, said)


def main():
    with open(path, "rb") as file:
        capture = Capture(file.read())
    for args in [], ["--no-inlines"]:
        stacks = wanted(capture, {"no-inlines": True} if args else {})
        assert bool(args) != any(f[1] for s in stacks for f in s)
        assert any(f[2] for s in stacks for f in s)
        check_speedscope(stacks, args)
        check_firefox(stacks, args)
        check_chrome(stacks, args, next(iter(capture.period.values())))
        check_csv(stacks, args)
        check_callgrind(stacks, args)
        if go:
            check_pprof(stacks, args)
        if protoc:
            check_perfetto(stacks, args)
    print("%d stacks agree" % len(stacks))


main()
