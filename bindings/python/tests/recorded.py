# SPDX-License-Identifier: BSD-2-Clause
"""Record programs, and read their captures."""

from __future__ import annotations

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap

SYSCAP = os.environ["SYSCAP"]


class Capture:
    def __init__(self, path: pathlib.Path, stdout: str = "") -> None:
        self.stdout = stdout
        dump = subprocess.run(
            [SYSCAP, "dump", "--json", str(path)],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        self.frames = [json.loads(line) for line in dump.splitlines()]
        subprocess.run([SYSCAP, "check", str(path)], check=True,
                       stdout=subprocess.DEVNULL)
        self.names = {
            int(n["addr"], 16): n["name"]
            for f in self.of("jitmap")
            for n in f["names"]
        }
        self.maps = [
            (f["pid"], int(str(f["start"]), 0), int(str(f["end"]), 0),
             f["filename"])
            for f in self.of("map")
        ]

    def of(self, kind: str) -> list[dict]:
        return [f for f in self.frames if f["type"] == kind]

    def marks(self) -> list[tuple[str, str, str]]:
        return [(f["group"], f["name"], f["message"])
                for f in self.of("mark")]

    def addresses(self) -> list[list[int]]:
        return [[int(a, 16) for a in f["addrs"]] for f in self.of("sample")]

    def file_of(self, address: int) -> str:
        for _, start, end, file in self.maps:
            if start <= address < end:
                return os.path.basename(file)
        return "?"

    def stack(self, addresses: list[int]) -> list[str]:
        """Names of Python's functions, and [file] for each native address."""
        return [
            self.names[a].partition(" (")[0]
            if a in self.names
            else f"[{self.file_of(a)}]"
            for a in addresses
        ]

    def stacks(self) -> list[list[str]]:
        return [self.stack(a) for a in self.addresses()]

    def seen(self, **fields: object) -> collections.Counter:
        """The number of samples that hold each name of a Python function."""
        counts: collections.Counter = collections.Counter()
        for f in self.of("sample"):
            if all(f[k] == v for k, v in fields.items()):
                addresses = [int(a, 16) for a in f["addrs"]]
                counts.update(n for n in set(self.stack(addresses))
                              if not n.startswith("["))
        return counts


def record(program: str, *arguments: str, options: tuple[str, ...] = (),
           environment: dict[str, str] | None = None,
           package: str | None = None, timeout: float = 100) -> Capture:
    """Record a program with this interpreter, and check its status 0."""
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "program.py")
        script.write_text(textwrap.dedent(program), encoding="utf-8")
        capture = pathlib.Path(folder, "capture.syscap")
        env = dict(os.environ, **(environment or {}))
        if package is not None:
            env["PYTHONPATH"] = package
        run = subprocess.run(
            [SYSCAP, "record", "-o", str(capture), "--", sys.executable,
             *options, str(script), *arguments],
            env=env, capture_output=True, text=True, timeout=timeout,
            check=False,
        )
        if run.returncode != 0:
            raise AssertionError(
                f"exit status {run.returncode}\n{run.stdout}\n{run.stderr}")
        if "Traceback" in run.stderr or "Warning" in run.stderr:
            raise AssertionError(run.stderr)
        return Capture(capture, run.stdout)


def run_alone(program: str, *arguments: str) -> subprocess.CompletedProcess:
    """Run a program without a recorder."""
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("SYSPROF_", "SYSCAP_SAMPLE"))}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *arguments],
        env=env, capture_output=True, text=True, timeout=100, check=False,
    )
