# SPDX-License-Identifier: BSD-2-Clause
"""devtools.py FOLDER FILE - what Chromium's DevTools make of Chrome's trace
events: the modules of the Performance panel read FILE in a page of their own,
and have what Python finds in it.

The browser is driven through two pipes (--remote-debugging-pipe), so that
nothing but Chromium is needed.  77: it does not run here.
"""
import collections
import json
import os
import subprocess
import sys

FOLDER, FILE = sys.argv[1:]
PAGE = "devtools://devtools/bundled/devtools_app.html?panel=timeline"
CHUNK = 1 << 20
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


class Browser:
    def __init__(self):
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()

        def give():
            # Through higher numbers: one may be the other's
            ends = [os.dup(fd) for fd in (to_read, to_write)]
            ends = [os.dup2(fd, 50 + i) for i, fd in enumerate(ends)]
            for i, fd in enumerate(ends):
                os.dup2(fd, 3 + i)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
             "--no-first-run", "--disable-dev-shm-usage",
             "--user-data-dir=" + os.path.join(FOLDER, "profile"),
             "--remote-debugging-pipe", "about:blank"],
            preexec_fn=give, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, HOME=FOLDER))
        os.close(to_read)
        os.close(to_write)
        self.number, self.rest = 0, b""

    def ask(self, method, session=None, **params):
        """The result of one command."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            while b"\0" not in self.rest:
                piece = os.read(self.back, CHUNK)
                if not piece:
                    raise EOFError("the browser has gone")
                self.rest += piece
            message, self.rest = self.rest.split(b"\0", 1)
            message = json.loads(message)
            if message.get("id") == self.number:
                if "error" in message:
                    raise ValueError(f"{method}: {message['error']}")
                return message["result"]

    def run(self, session, expression):
        result = self.ask("Runtime.evaluate", session, expression=expression,
                          awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise ValueError(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def close(self):
        os.close(self.to)
        self.process.terminate()
        self.process.wait()


def devtools(text):
    try:
        browser = Browser()
        browser.ask("Browser.getVersion")
    except (OSError, EOFError) as error:
        print(f"skip: chromium does not run: {error}")
        sys.exit(77)
    try:
        page = browser.ask("Target.createTarget", url=PAGE)["targetId"]
        session = browser.ask("Target.attachToTarget", targetId=page,
                              flatten=True)["sessionId"]
        browser.run(session, "window.told = ''; true")
        for at in range(0, len(text), CHUNK):
            browser.run(session, "window.told += " +
                        json.dumps(text[at:at + CHUNK]) + "; true")
        return json.loads(browser.run(session, LOOK))
    finally:
        browser.close()


def microseconds(value):
    """To the nanosecond, whatever a double makes of it."""
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
