# SPDX-License-Identifier: BSD-2-Clause
"""speedscope_app.py FOLDER FILE RELEASE - check that speedscope's app loads
FILE. The app's own export has the same content: the time of each stack, and
each slice.

Events without duration are not compared, since the app drops them.
"""
import base64
import collections
import json
import os
import sys
import time

from chromium import start

FOLDER, FILE, RELEASE = sys.argv[1:]
CLICK = """(() => {
    const all = [...document.querySelectorAll('*')].filter(
        e => e.children.length <= 1 && /Export$/.test(e.textContent.trim()));
    if (!/Left Heavy/.test(document.body.textContent) || !all.length)
        return false;
    all[all.length - 1].click();
    return true;
})()"""


def exported():
    script = os.path.join(FOLDER, "load.js")
    with open(FILE, "rb") as file:
        data = base64.b64encode(file.read()).decode()
    with open(script, "w", encoding="ascii") as file:
        file.write("speedscope.loadFileFromBase64('rich.json', "
                   f"{json.dumps(data)})")
    downloads = os.path.join(FOLDER, "downloads")
    os.mkdir(downloads)
    browser = start(FOLDER)
    try:
        browser.ask("Browser.setDownloadBehavior", behavior="allow",
                    downloadPath=downloads)
        session = browser.open(
            f"file://{os.path.abspath(RELEASE)}/index.html"
            f"#localProfilePath={script}")
        # The test's time limit ends this
        while not browser.run(session, CLICK):
            time.sleep(0.2)
        while not [n for n in os.listdir(downloads)
                   if not n.endswith(".crdownload") and n[0] != "."] and \
                not os.path.exists(os.path.join(downloads,
                                                ".speedscope.json")):
            time.sleep(0.2)
        for _ in range(600):
            try:
                name = os.path.join(downloads, [
                    n for n in os.listdir(downloads)
                    if "crdownload" not in n][0])
                with open(name, encoding="utf-8") as file:
                    return json.load(file)
            except (ValueError, IndexError):
                time.sleep(0.1)
        sys.exit("the download does not end")
    finally:
        browser.close()


def read(whole):
    """For each profile: the name, stacks with their time, and slices."""
    frames = [(f["name"], f.get("file")) for f in whole["shared"]["frames"]]
    found = []
    for profile in whole["profiles"]:
        stacks, slices = collections.Counter(), collections.Counter()
        for sample, weight in zip(profile.get("samples", ()),
                                  profile.get("weights", ())):
            stacks[tuple(frames[i] for i in sample)] += weight
        stack, last = [], profile["startValue"]
        for event in profile.get("events", ()):
            if event["at"] > last:
                stacks[tuple(f for f, _ in stack)] += event["at"] - last
            last = event["at"]
            if event["type"] == "O":
                stack.append((frames[event["frame"]], last))
            else:
                frame, begin = stack.pop()
                assert frame == frames[event["frame"]]
                if last > begin:
                    slices[frame, begin, last] += 1
        stacks.pop((), None)
        if not profile["name"].endswith(": marks"):
            slices = None
        found.append((profile["name"], profile["unit"], stacks, slices))
    return found


def main():
    with open(FILE, encoding="utf-8") as file:
        wanted = read(json.load(file))
    found = read(exported())
    if len(wanted) < 5 or len(found) != len(wanted):
        sys.exit(f"{len(wanted)} profiles, and the app has {len(found)}")
    for ours, theirs in zip(wanted, found):
        if ours != theirs:
            sys.exit(f"{ours[0]}: the app has other stacks")
    print(f"{len(wanted)} profiles agree")


main()
