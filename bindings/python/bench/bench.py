# SPDX-License-Identifier: BSD-2-Clause
"""The cost of calls, beside the calls of C and an empty C function.

    bench.py    (under `syscap record` and without)

Each figure is the median of the runs, in ns of processor time (the machine may
be busy), minus the empty loop.  The bench also shows scopes as multiples of a
with statement with an object of a C type (empty.c).  __enter__ and __exit__ of
this type do nothing, and the object is new or reused, like the scope.  The bench
also shows calls of @traced as multiples of the plain call.
"""

from __future__ import annotations

import logging
import statistics
import sys
import time

import empty as empty_type
import syscap
from syscap import _events

N = 5_000
RUNS = 25
WARM_UP = 15  # runs that fill a ring of 32 MiB once


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
    make, made = empty_type.make, empty_type.make()
    Empty = empty_type.Empty

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
            with Empty():
                pass

    def with_made(n):
        for _ in range(n):
            with make("bench", "scope"):
                pass

    def with_object(n):
        for _ in range(n):
            with made:
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

    # Name, loop, divisor of n, name of the row to compare with
    return [
        ("empty loop", empty, 1, None),
        ("no-op C call", no_op, 1, None),
        ("plain Python call", call, 1, None),
        ("with Empty()", with_type, 1, None),
        ("with an Empty a function makes", with_made, 1, None),
        ("with an Empty made before", with_object, 1, None),
        ("mark()", mark_, 1, None),
        ("mark(), message", mark_message, 1, None),
        ("log()", log_, 1, None),
        ("counter.add()", count, 1, None),
        ("with scope()", with_scope, 1, "with Empty()"),
        ("with scope() made before", with_prebuilt, 1,
         "with an Empty made before"),
        ("@traced call", call_traced, 1, "plain Python call"),
        ("logging, LogHandler", logging_, 10, None),
    ]


# The cost of a minimal extension, written for this measurement and Python 3.11
# only, as multiples of the no-op C call
AIMS = {
    (True, "mark()"): 2.9,
    (True, "with scope()"): 15.7,
    (True, "with scope() made before"): 10.5,
    (True, "@traced call"): 7.2,
    (False, "with scope()"): 10.3,
    (False, "@traced call"): 2.7,
}


def measure(loop, n=N):
    start = time.thread_time_ns()
    loop(n)
    return (time.thread_time_ns() - start) / n


def main():
    logger.handlers[:] = [syscap.LogHandler()]
    works = loops()
    times = {name: [] for name, *_ in works}
    before = syscap.stats()
    # The first runs touch new memory of the ring, so they do not count
    warm_up = WARM_UP if syscap.is_active() else 0
    for run in range(-warm_up, RUNS):
        for name, loop, factor, _ in works:
            cost = measure(loop) * factor
            if run >= 0:
                times[name].append(cost)
            # Give the recorder time, since a dropped event would look fast
            if syscap.is_active():
                time.sleep(0.03)
    after = syscap.stats()
    active = syscap.is_active()
    base = statistics.median(times.pop("empty loop"))
    cost = {k: statistics.median(v) - base for k, v in times.items()}
    print(f"Python {sys.version.split()[0]}, {'on' if active else 'off'}, "
          f"{after['dropped'] - before['dropped']} dropped of "
          f"{(warm_up + RUNS) * N} each")
    for name, _, _, other in works[1:]:
        ratio = cost[name] / cost["no-op C call"]
        text = f"  {name:32}{cost[name]:8.1f} ns {ratio:6.1f} x no-op"
        if (active, name) in AIMS:
            text += f" (aim {AIMS[active, name]:4})"
        if other:
            text = f"{text:66}{cost[name] / cost[other]:5.2f} x {other}"
        print(text)


if __name__ == "__main__":
    main()
