# SPDX-License-Identifier: BSD-2-Clause
"""inlined.py SYSCAP PLAIN LINED - of one recording, the second with lines:
functions that have code take in all what they took without inlined ones, and
of themselves that less what was inlined; --no-inlines is as if none were."""
import collections
import json
import subprocess
import sys


def ask(syscap, path, *args):
    # Lines show which samples were in inlined code of syscap itself.
    done = subprocess.run([syscap, "stat", "--json", "--tree",
                           "--with-recording", *args, path],
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["hot"]


def totals(hot):
    return {(f["name"], f["binary"]): f["total"] for f in hot["functions"]
            if not f["is_inlined"]}


def owners(hot):
    """What each function with code took, and what was inlined into it."""
    owner, selfs = {0: None}, collections.Counter()
    for node in hot["tree"]:
        owner[node["id"]] = owner[node["parent"]] if node["is_inlined"] \
            else (node["name"], node["binary"])
        if node["self"]:
            selfs[owner[node["id"]]] += node["self"]
    return selfs


def main(syscap, plain, lined):
    before, after = ask(syscap, plain), ask(syscap, lined)
    without = ask(syscap, lined, "--no-inlines")
    inlined = {f["name"] for f in after["functions"] if f["is_inlined"]}
    assert {"mix", "stir"} <= inlined, inlined
    assert before["total"] == after["total"] == without["total"]
    assert totals(before) == totals(after) == totals(without)
    assert owners(before) == owners(after) == owners(without)
    assert not any(f["is_inlined"] for f in without["functions"])
    for hot in after, without:
        parents = {n["id"]: n["parent"] for n in hot["tree"]}
        sums = collections.Counter()
        for node in reversed(hot["tree"]):
            sums[node["id"]] += node["self"]
            sums[parents[node["id"]]] += sums[node["id"]]
            assert sums[node["id"]] == node["total"], node
        assert sums[0] == hot["total"]


main(*sys.argv[1:])
