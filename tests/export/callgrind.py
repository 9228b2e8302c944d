# SPDX-License-Identifier: BSD-2-Clause
"""callgrind.py SYSCAP - callgrind_annotate and stat --json agree on the self
and inclusive cost of each function, also with recursion and hostile names."""
import json
import os
import re
import subprocess
import sys
import tempfile

from story import Story

syscap = sys.argv[1]


def run(*args):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.decode()


def annotated(path, inclusive):
    """({(binary, name): cost}, sum of all costs)"""
    said = run("callgrind_annotate", "--threshold=100", "--auto=no",
               "--inclusive=" + inclusive, path)
    found, total = {}, None
    for line in said.splitlines():
        match = re.match(r" *([\d,]+) +\([ \d.]+%\)  (.*)$", line)
        if not match:
            continue
        cost = int(match[1].replace(",", ""))
        if match[2] == "PROGRAM TOTALS":
            total = cost
            continue
        # "FILE:FUNCTION [OBJECT]"; FILE and OBJECT are the binary
        binary = re.search(r" \[([^]]*)\]$", match[2])[1]
        name = match[2][len(binary) + 1:-len(binary) - 3]
        assert (binary, name) not in found, match[2]
        found[binary, name] = cost
    return found, total


def check(folder, path, *args):
    out = os.path.join(folder, "callgrind.out.1")
    run(syscap, "export", "-f", "callgrind", "-o", out, *args, path)
    said = json.loads(run(syscap, "stat", "--json", *args, path))
    rows = said["hot"]["functions"]
    assert rows
    for key, inclusive in (("self", "no"), ("total", "yes")):
        found, total = annotated(out, inclusive)
        whole = found.pop(("(unknown)", "[all]"), 0)
        assert whole == (total if inclusive == "yes" else 0)
        wanted = {(r["binary"] or "(unknown)", r["name"]): r[key]
                  for r in rows}
        assert total == sum(r["self"] for r in rows), (total, args)
        # functions of cost 0 are omitted
        wanted = {k: v for k, v in wanted.items() if v or k in found}
        assert found == wanted, (key, args, found.items() ^ wanted.items())


with tempfile.TemporaryDirectory() as work:
    story = Story(5)
    # direct and mutual recursion, and a leaf that is also a caller
    for i, stack in enumerate(([0, 1, 1, 1], [0, 1, 2, 1, 2, 3], [1, 0, 1, 0],
                               [0] * 300, [2, 1, 2])):
        story.sample(3_000_000_000 + i, 10, 10, i + 1, stack)
    file = os.path.join(work, "story.syscap")
    story.write(file)
    for arguments in ((), ("--thread=11",), ("--reverse",),
                      ("--collapse-recursion",), ("--of=allocated",)):
        check(work, file, *arguments)
