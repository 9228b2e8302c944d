# SPDX-License-Identifier: BSD-2-Clause
# recording.py - runs of a command under `syscap record`, and the contents of
# the capture.
"""Functions for the tests in this directory, which read SYSCAP, SYSCAP_GI, GJS
and GI_PYTHON."""

import json
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ["SYSCAP_GI"]
SYSCAP = os.environ.get("SYSCAP", "")
GJS = os.environ.get("GJS", "")
PYTHON = os.environ.get("GI_PYTHON", "")


def environment(overrides=True, **more):
    """Return an environment in which interpreters find the built files."""
    env = dict(os.environ)
    for name in list(env):
        if name.startswith(("SYSCAP_", "SYSPROF_")):
            del env[name]
    env["LD_LIBRARY_PATH"] = BUILD
    env["GI_TYPELIB_PATH"] = BUILD
    env["GJS_PATH"] = BUILD + "/gjs" if overrides else ""
    env["PYTHONPATH"] = BUILD + "/python" if overrides else ""
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    # Overwrite freed memory, so that a use after free is noticed.
    env["MALLOC_PERTURB_"] = "165"
    env["LC_ALL"] = "C.UTF-8"
    env.update(more)
    return env


def run(command, env=None, status=0):
    """Return the output of the command, which must end with this status."""
    done = subprocess.run(
        command,
        env=env or environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != status:
        raise AssertionError(
            f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}"
        )
    return done.stdout


SEVERITIES = {
    4: "error",
    8: "critical",
    16: "warning",
    32: "message",
    64: "info",
    128: "debug",
}


class Capture:
    """The contents of a capture."""

    def __init__(self, path):
        run([SYSCAP, "check", path])
        text = run([SYSCAP, "dump", "--json", path])
        self.frames = [json.loads(line) for line in text.splitlines()]
        self.stat = json.loads(run([SYSCAP, "stat", "--json", path]))

    def of(self, kind):
        """Return the frames of a type."""
        return [frame for frame in self.frames if frame["type"] == kind]

    def marks(self, group):
        """Return name, duration and message of all marks of a group."""
        return [
            (mark["name"], mark["duration"], mark["message"])
            for mark in self.of("mark")
            if mark["group"] == group
        ]

    def names(self, group):
        """Return the names of all marks of a group."""
        return [name for name, _, _ in self.marks(group)]

    def logs(self, domain):
        """Return severity and text of all log lines of a domain."""
        return [
            (SEVERITIES[line["severity"]], line["message"])
            for line in self.of("log")
            if line["domain"] == domain
        ]

    def values(self):
        """Return all values of each counter, by its name."""
        names, values = {}, {}
        for frame in self.of("ctrdef"):
            for counter in frame["counters"]:
                names[counter["id"]] = counter["name"]
                values.setdefault(counter["name"], [])
        for frame in self.of("ctrset"):
            for value in frame["values"]:
                values[names[value["id"]]].append(value["value"])
        return values

    def newest_value(self, name):
        """Return the newest value of the counter."""
        self.frames.sort(
            key=lambda frame: (frame["type"] != "ctrdef", frame["time"])
        )
        return self.values()[name][-1]


def record(command, env=None, options=()):
    """Return the output of the command, and its capture."""
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/it.syscap"
        printed = run(
            [SYSCAP, "record", "-q", *options, "-o", path, "--", *command],
            env,
        )
        return printed, Capture(path)


def script(language, text, folder):
    """Write a program into the directory, and return the command that runs it."""
    path = f"{folder}/program.{language}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return [GJS if language == "js" else PYTHON, path]
