# SPDX-License-Identifier: BSD-2-Clause
"""devtools.py FOLDER FILE - exported trace events in Chromium's DevTools. The
modules of the Performance panel load FILE, and find the same events as
Python."""
import collections
import json
import sys

from chromium import CHUNK, start

FOLDER, FILE = sys.argv[1:]
PAGE = "devtools://devtools/bundled/devtools_app.html?panel=timeline"
LOOK = """(async () => {
    const Trace = await import(
        'devtools://devtools/bundled/models/trace/trace.js');
    const model = Trace.TraceModel.Model.createWithAllHandlers();
    await model.parse(JSON.parse(window.told).traceEvents, {});
    const {data} = model.parsedTrace(0);
    const found = {slices: [], samples: []};
    for (const [pid, process] of data.Renderer.processes)
        for (const [tid, thread] of process.threads)
            for (const e of thread.entries)
                if (e.cat !== 'disabled-by-default-v8.cpu_profiler' &&
                    e.name !== 'ProfileCall')
                    found.slices.push([pid, tid, e.ph, e.name, e.ts,
                                       e.dur ?? 0]);
    for (const [pid, threads] of data.Samples.profilesInProcess)
        for (const [tid, {parsedProfile}] of threads)
            for (const id of parsedProfile.samples) {
                const names = [];
                for (let node = parsedProfile.nodeById(id); node.parent;
                     node = node.parent)
                    names.push(node.functionName);
                found.samples.push([pid, tid, names.reverse().join(';')]);
            }
    return JSON.stringify(found);
})()"""


def devtools(text):
    browser = start(FOLDER)
    try:
        session = browser.open(PAGE)
        browser.run(session, "window.told = ''; true")
        for at in range(0, len(text), CHUNK):
            browser.run(session, "window.told += " +
                        json.dumps(text[at:at + CHUNK]) + "; true")
        return json.loads(browser.run(session, LOOK))
    finally:
        browser.close()


def microseconds(value):
    """Rounded to ns, since a double is not exact."""
    return round(float(value) * 1000)


def in_file(events):
    slices, samples = collections.Counter(), collections.Counter()
    stacks = {}
    for e in events:
        if e["ph"] in ("X", "I"):
            slices[e["pid"], e["tid"], e["ph"].upper(), e["name"],
                   microseconds(e["ts"]), microseconds(e.get("dur", 0))] += 1
        if e["name"] != "ProfileChunk":
            continue
        who = e["pid"], e["tid"]
        profile = e["args"]["data"]["cpuProfile"]
        nodes = stacks.setdefault(who, {})
        for node in profile.get("nodes", ()):
            name = node["callFrame"]["functionName"]
            nodes[node["id"]] = nodes[node["parent"]] + (name,) \
                if "parent" in node else ()
        for node in profile["samples"]:
            samples[(*who, ";".join(nodes[node]))] += 1
    return slices, samples


def compare(what, found, wanted):
    if found == wanted:
        print(f"{sum(found.values())} {what} agree")
        return
    print(f"{what} differ")
    print("  only DevTools have", list((found - wanted).items())[:5])
    print("  only the file has", list((wanted - found).items())[:5])
    sys.exit(1)


def main():
    with open(FILE, encoding="utf-8") as file:
        text = file.read()
    slices, samples = in_file(json.loads(text)["traceEvents"])
    told = devtools(text)
    compare("slices", collections.Counter(
        (pid, tid, phase.upper(), name, microseconds(ts), microseconds(dur))
        for pid, tid, phase, name, ts, dur in told["slices"]), slices)
    compare("samples", collections.Counter(
        tuple(sample) for sample in told["samples"]), samples)


main()
