# SPDX-License-Identifier: BSD-2-Clause
"""inlined.py SYSCAP PLAIN LINED - PLAIN and LINED are one recording, without
and with lines. The total time of functions with code is equal in both. The
self time is lower by the time of inlined functions. --no-inlines gives the
sums of PLAIN."""
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
    """Time of each function with code, and of the functions inlined into
    it."""
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
