# SPDX-License-Identifier: BSD-2-Clause
"""What calls cost, beside C's and a C function that does nothing.

    bench.py    (under `syscap record` and without)

Each figure is the median of runs, in ns of processor time, less an empty loop:
the machine may be busy.  "with" is that of an extension type that does nothing
of note (memoryview).
"""

from __future__ import annotations

import logging
import statistics
import sys
import threading
import time

import syscap
from syscap import _events

N = 5_000
RUNS = 25


def plain(x):
    return x


traced = syscap.traced(plain)
counter = syscap.counter("bench", "counter")
prebuilt = syscap.scope("bench", "prebuilt")
logger = logging.getLogger("bench")
logger.propagate = False
logger.setLevel(logging.INFO)


def loops():
    mark, nothing, scope = syscap.mark, _events._nothing, syscap.scope
    data = b""

    def empty(n):
        for _ in range(n):
            pass

    def no_op(n):
        for _ in range(n):
            nothing()

    def mark_(n):
        for _ in range(n):
            mark("bench", "mark")

    def mark_message(n):
        for _ in range(n):
            mark("bench", "mark", "a message")

    def with_type(n):
        for _ in range(n):
            with memoryview(data):
                pass

    lock = threading.Lock()

    def with_object(n):
        for _ in range(n):
            with lock:
                pass

    def with_scope(n):
        for _ in range(n):
            with scope("bench", "scope"):
                pass

    def with_prebuilt(n):
        for _ in range(n):
            with prebuilt:
                pass

    def call(n):
        for _ in range(n):
            plain(1)

    def call_traced(n):
        for _ in range(n):
            traced(1)

    def count(n):
        add = counter.add
        for _ in range(n):
            add()

    def log_(n):
        log = syscap.log
        for _ in range(n):
            log(64, "bench", "a message")

    def logging_(n):
        for _ in range(n // 10):
            logger.info("hello %d", 1)

    return [
        ("empty loop", empty, 1),
        ("no-op C call", no_op, 1),
        ("plain Python call", call, 1),
        ("with an extension's new object", with_type, 1),
        ("with an extension's object", with_object, 1),
        ("mark()", mark_, 1),
        ("mark(), message", mark_message, 1),
        ("log()", log_, 1),
        ("counter.add()", count, 1),
        ("with scope()", with_scope, 1),
        ("with prebuilt scope", with_prebuilt, 1),
        ("@traced call", call_traced, 1),
        ("logging, LogHandler", logging_, 10),
    ]


def measure(loop, n=N):
    start = time.thread_time_ns()
    loop(n)
    return (time.thread_time_ns() - start) / n


def main():
    logger.handlers[:] = [syscap.LogHandler()]
    works = loops()
    times = {name: [] for name, _, _ in works}
    dropped = syscap.stats()["dropped"]
    for run in range(RUNS):
        for name, loop, factor in works:
            times[name].append(measure(loop) * factor)
            # The recorder is given time: what is dropped is no event
            if syscap.is_active():
                time.sleep(0.03)
    medians = {k: statistics.median(v) for k, v in times.items()}
    base = medians.pop("empty loop")
    no_op = medians["no-op C call"] - base
    fresh = medians["with an extension's new object"] - base
    print(f"Python {sys.version.split()[0]}, "
          f"{'on' if syscap.is_active() else 'off'}, dropped "
          f"{syscap.stats()['dropped'] - dropped} of {RUNS * N} each")
    for name, value in medians.items():
        cost = value - base
        print(f"  {name:34}{cost:8.1f} ns {cost / no_op:6.1f} x no-op "
              f"{cost / fresh:6.2f} x with")


if __name__ == "__main__":
    main()
