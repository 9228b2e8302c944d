# SPDX-License-Identifier: BSD-2-Clause
"""Sample a program that does not use syscap itself.

    syscap record -o out.syscap -- python3 -m syscap program.py argument...
    python3 -m syscap -o out.syscap -m module argument...
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys

import syscap


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python3 -m syscap",
        description="Run a Python program, and record where its time goes.",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="the capture; without it, a recorder has to be there: "
        "syscap record -- python3 -m syscap ...",
    )
    parser.add_argument(
        "--sample",
        metavar="HZ[,CLOCK]",
        help="samples per second of each thread, and auto, cpu, wall or perf "
        "(default: 1000,auto)",
    )
    parser.add_argument(
        "--lines",
        action="store_true",
        help="name functions with the running line, not with the line of "
        "their definition",
    )
    parser.add_argument(
        "-m",
        dest="module",
        action="store_true",
        help="the program is a module",
    )
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    hz, _, clock = (options.sample or "1000").partition(",")
    try:
        options.hz = int(hz)
    except ValueError:
        parser.error(f"--sample: {hz!r} is not a number")
    options.clock = clock or "auto"
    if options.output is None and not syscap.is_active():
        parser.error(
            "nothing records: give -o FILE, or run it under 'syscap record'"
        )
    return options


def _run(options: argparse.Namespace) -> None:
    sys.argv = [options.program, *options.arguments]
    if options.module:
        sys.path[0] = os.getcwd()
        runpy.run_module(options.program, run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(options.program))
        runpy.run_path(options.program, run_name="__main__")


def _start(options: argparse.Namespace, sampled: bool) -> None:
    if options.output is not None:
        syscap.start(options.output)
    if sampled:
        syscap.start_sampling(
            options.hz,
            clock=options.clock,
            children=True,
            lines=options.lines,
        )


def main() -> None:
    options = _parse(sys.argv[1:])
    # Sampling that SYSCAP_SAMPLE has begun continues unchanged
    sampled = not os.environ.get("SYSCAP_SAMPLE")
    try:
        _start(options, sampled)
    except syscap.Error as error:
        sys.exit(f"python3 -m syscap: {error}")
    try:
        _run(options)
    finally:
        if sampled:
            syscap.stop_sampling()
        if options.output is not None:
            syscap.stop()


if __name__ == "__main__":
    main()
