# SPDX-License-Identifier: BSD-2-Clause
"""flamegraph.py SYSCAP [CHROMIUM] - check of the picture and the folded lines:
widths, names as text, shares, differences, search."""
import collections
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

from story import PERIOD, Story, shown

SVG = "{http://www.w3.org/2000/svg}"
syscap = sys.argv[1]
chromium = sys.argv[2] if len(sys.argv) > 2 else None


def run(*args):
    return subprocess.run([syscap, "flamegraph", *args], check=True,
                          stdout=subprocess.PIPE).stdout


def stacks(story):
    """Ticks by stack."""
    sums = collections.Counter()
    for _, _, _, ticks, names in story.samples:
        sums[tuple(names)] += ticks
    return sums


def parse(svg):
    """(level, begin, value, name, title) of each frame, root first."""
    root = tree.fromstring(svg)
    frames = root.find(SVG + "svg[@id='frames']")
    found = []
    for g in frames.findall(SVG + "g"):
        title = g.find(SVG + "title").text
        found.append((int(g.get("data-l")), int(g.get("data-b")),
                      int(g.get("data-v")), title.split("\n")[0], title))
    return root, sorted(found)


def check_widths(found, sums, unit):
    """Every prefix of a stack is a frame above its caller, with the width of
    its weight."""
    totals = collections.Counter()
    for names, ticks in sums.items():
        for depth in range(len(names) + 1):
            totals[names[:depth]] += ticks * unit
    drawn = collections.Counter()
    above = []  # frames around the present position, outermost first
    for level, begin, value, name, _ in sorted(
            found, key=lambda frame: (frame[1], frame[0])):
        above = [a for a in above if a[0] < level]
        assert len(above) == level, "a frame without its caller"
        assert all(a[1] <= begin and begin + value <= a[1] + a[2]
                   for a in above), "wider than its caller"
        above.append((level, begin, value, name))
        drawn[tuple(a[3] for a in above[1:])] += value
    assert drawn == totals, "widths differ"


def check_picture(story, path):
    svg = run("--thread", "10", path)
    sums = collections.Counter()
    for _, _, tid, ticks, names in story.samples:
        if tid == 10:
            sums[tuple(names)] += ticks
    root, found = parse(svg)
    unit = root.find(SVG + "text[@id='unit']").text
    assert unit.startswith("processor time: "), unit
    assert unit.endswith("with --thread=10"), unit
    check_widths(found, sums, PERIOD)
    root, found = parse(run(path))
    check_widths(found, stacks(story), PERIOD)
    # markup in a name is escaped
    assert len(root.findall(SVG + "script")) == 1
    names = {frame[3] for frame in found}
    for name in story.names:
        assert shown(name) in names, name
    assert root.find(SVG + "text[@id='narrow']") is None


def check_folded(story, path):
    lines = collections.Counter()
    for line in run("--folded", path).decode().splitlines():
        stack, _, count = line.rpartition(" ")
        lines[stack] += int(count)
    wanted = collections.Counter()
    for names, ticks in stacks(story).items():
        wanted[";".join(n.replace(";", ":") for n in names)] += \
            ticks * PERIOD
    assert lines == wanted, "folded lines differ"


def check_diff(old, old_path, new, new_path):
    before, after = stacks(old), stacks(new)
    lines = {}
    out = run("--folded", "--diff", old_path, new_path).decode()
    for line in out.splitlines():
        stack, was, now = line.rsplit(" ", 2)
        lines[stack] = (int(was), int(now))
    for names, ticks in after.items():
        stack = ";".join(n.replace(";", ":") for n in names)
        assert lines[stack] == (before[names] * PERIOD, ticks * PERIOD), stack
    root, found = parse(run("--diff", old_path, new_path))
    total = {True: sum(before.values()), False: sum(after.values())}
    for level, _, _, name, title in found:
        if level != 2 or name != "parse":
            continue
        prefix = ("main", "parse")
        old_share = 100 * sum(t for n, t in before.items()
                              if n[:2] == prefix) / total[True]
        new_share = 100 * sum(t for n, t in after.items()
                              if n[:2] == prefix) / total[False]
        assert "was %.2f %%: %+.2f" % (old_share, new_share - old_share) \
            in title, title
        break
    else:
        raise AssertionError("main;parse is not drawn")
    assert not root.findall(SVG + "text[@class='gone']")


def check_gone(folder, path):
    """Functions that exist only in the base are sorted by size."""
    new = Story(1)
    shown_names = [shown(name) for name in new.names]
    for time, pid, tid, ticks, names in new.without_samples():
        if "hash" not in names:
            new.sample(time, pid, tid, ticks,
                       [shown_names.index(name) for name in names])
    new.write(os.path.join(folder, "less.syscap"))
    root, _ = parse(run("--diff", path, os.path.join(folder, "less.syscap")))
    gone = [t.text for t in root.findall(SVG + "text[@class='gone']")]
    assert gone and gone[0].startswith("gone: "), gone
    shares = [float(g.split()[1]) for g in gone if "more" not in g]
    assert shares == sorted(shares, reverse=True), gone
    assert any(g.endswith("hash") for g in gone), gone


def check_narrow(folder):
    """Frames that are too narrow to be seen are counted."""
    story = Story(2)
    path = os.path.join(folder, "narrow.syscap")
    rare = story.without_samples()[0]
    story.sample(rare[0], 10, 10, 0xFFFFFF, [0, 1])
    story.sample(rare[0], 10, 10, 1, [0, 2, 3, 4])
    story.write(path)
    root, found = parse(run(path))
    assert [f[3] for f in found] == ["all", "main", "work"], found
    assert root.find(SVG + "text[@id='narrow']").text == \
        "3 frames narrower than 0.1 px are not drawn"


def browse(address, folder):
    """The document after its script has run; None: the browser does not
    run."""
    done = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu",
         "--user-data-dir=" + os.path.join(folder, "browser"),
         "--dump-dom", "file://" + address],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=150)
    dom = done.stdout.decode()
    return dom if "id=\"found\"" in dom else None


def check_search(story, path, folder):
    """A browser runs the script of the picture."""
    svg = os.path.join(folder, "graph.svg")
    run("-o", svg, path)
    share = 100 * sum(ticks for _, _, _, ticks, names in story.samples
                      if "hash" in names) / \
        sum(sample[3] for sample in story.samples)
    dom = browse(svg + "#s=%5Ehash%24&z=hash", folder)
    if dom is None:
        print("the browser does not run")
        return
    found = re.search(r'id="found"[^>]*>([^<]*)<', dom).group(1)
    assert "%.2f %% of all" % share in found, (found, share)
    assert re.search(r'id="reset"[^>]*style=""', dom), "the picture is not zoomed"
    with open(svg, "rb") as file:
        widest = max(value for _, _, value, name, _ in parse(file.read())[1]
                     if name == "hash")
    assert re.search(r'data-v="%d" [^>]*><title>hash\n[^<]*</title>'
                     r'<rect x="0%%" [^>]*width="100%%"' % widest, dom), \
        "another frame is zoomed"
    # the typed text is used unchanged
    dom = browse(svg + "#s=100%", folder)
    assert dom is None or "“100%”: 0 frames" in dom, "the script failed"


def check_high(folder):
    """A picture higher than the window opens at its outermost functions."""
    story = Story(5, n=1)
    story.sample(story.samples[0][0], 10, 10, 1, [0, 1] * 100)
    path = os.path.join(folder, "high.syscap")
    story.write(path)
    svg = os.path.join(folder, "high.svg")
    with open(svg, "w", encoding="utf-8") as file:
        drawn = run(path).decode()
        file.write(drawn[:drawn.rindex("</svg>")] + "<script>"
                   "document.querySelector('#found').textContent = "
                   "'at ' + scrollY;</script></svg>")
    dom = browse(svg, folder)
    assert dom is None or re.search(r">at [1-9][0-9]{3}", dom), \
        "the picture opens at the top"


with tempfile.TemporaryDirectory() as work:
    one, other = Story(1), Story(1, slower=2)
    one_path = os.path.join(work, "one.syscap")
    other_path = os.path.join(work, "other.syscap")
    one.write(one_path)
    other.write(other_path)
    check_picture(one, one_path)
    check_folded(one, one_path)
    check_diff(one, one_path, other, other_path)
    check_gone(work, one_path)
    check_narrow(work)
    if chromium:
        check_search(one, one_path, work)
        check_high(work)
