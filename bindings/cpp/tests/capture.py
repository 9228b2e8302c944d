# SPDX-License-Identifier: BSD-2-Clause
"""Recordings for the tests of bindings/cpp and bindings/rust."""

import json
import os
import subprocess

SYSCAP = os.environ["SYSCAP"]


def record(output, command, **environment):
    """Run @command below a recorder, and return the frames of its capture."""
    for name in ("SYSPROF_CONTROL_FD", "SYSPROF_TRACE_FD", "SYSCAP_OUTPUT"):
        os.environ.pop(name, None)
    subprocess.run([SYSCAP, "record", "-o", output, "--", *command],
                   env={**os.environ, **environment}, check=True, timeout=60)
    return read(output)


def read(path):
    """Return the frames of a capture, after `syscap check` of the file."""
    subprocess.run([SYSCAP, "check", path], check=True, timeout=60)
    told = subprocess.run([SYSCAP, "dump", "--json", path], check=True,
                          capture_output=True, text=True, timeout=60)
    return [json.loads(line) for line in told.stdout.splitlines()]


def of_type(frames, kind):
    """Return the frames of type @kind."""
    return [frame for frame in frames if frame["type"] == kind]


def marks(frames, group, name=None):
    """Messages of the marks @name of @group, or (name, message) of all its
    marks."""
    found = [frame for frame in of_type(frames, "mark")
             if frame["group"] == group and name in (None, frame["name"])]
    if name is None:
        return [(frame["name"], frame["message"]) for frame in found]
    return [frame["message"] for frame in found]


def counter_values(frames):
    """{(category, name): [value...]}, the values in the order of the
    capture."""
    names, values = {}, {}
    for frame in frames:
        for item in frame.get("counters", ()):
            names[item["id"]] = (item["category"], item["name"])
        if frame["type"] == "ctrset":
            for item in frame["values"]:
                values.setdefault(names[item["id"]], []).append(item["value"])
    return values


def newest_values(frames):
    """{(category, name): value}, the newest value of each counter."""
    ordered = sorted(frames, key=lambda frame: (
        frame["type"] != "ctrdef", frame["time"]))
    return {name: values[-1]
            for name, values in counter_values(ordered).items()}


def stacks(frames):
    """Stacks of the samples as lists of names, the innermost first."""
    names = {}
    for frame in of_type(frames, "jitmap"):
        for item in frame["names"]:
            names[item["addr"]] = item["name"]
    return [[names.get(address, address) for address in frame["addrs"]]
            for frame in of_type(frames, "sample")]
