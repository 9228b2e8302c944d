# SPDX-License-Identifier: BSD-2-Clause
# bench.py - the cost of the calls in PyGObject.
"""Print medians, and ratios to an empty call."""

import statistics
import time

import gi

gi.require_version("Syscap", "1")
gi.require_version("SyscapBench", "1")
from gi.repository import GLib, Syscap, SyscapBench  # noqa: E402

# A run of this number of calls is mostly not interrupted.
N_CALLS = 250
N_ROUNDS = 201

ID = Syscap.intern("bench", "by id")
COUNTER = Syscap.Counter.new("bench", "c", "", Syscap.CounterType.INT64)


@Syscap.traced("bench")
def traced():
    """Do nothing."""


def run_nop(n):
    for _ in range(n):
        SyscapBench.nop()


def run_is_active(n):
    for _ in range(n):
        Syscap.is_active()


def run_now(n):
    for _ in range(n):
        Syscap.now()


def run_mark(n):
    for _ in range(n):
        Syscap.mark("bench", "mark", 1, 2, "a message")


def run_mark_by_id(n):
    for _ in range(n):
        Syscap.mark_by_id(ID, 1, 2)


def run_since(n):
    for _ in range(n):
        Syscap.mark_since_by_id(ID, Syscap.begin())


def run_scope(n):
    for _ in range(n):
        with Syscap.Scope("bench", "scope"):
            pass


def run_scope_by_id(n):
    for _ in range(n):
        with Syscap.Scope.new_by_id(ID):
            pass


def run_traced(n):
    for _ in range(n):
        traced()


def run_counter(n):
    for i in range(n):
        COUNTER.set_int64(i)


def run_log(n):
    for _ in range(n):
        Syscap.log("bench", GLib.LogLevelFlags.LEVEL_INFO, "a message")


CASES = {
    "no-op GI call": run_nop,
    "is_active": run_is_active,
    "now": run_now,
    "mark, texts": run_mark,
    "mark_by_id": run_mark_by_id,
    "begin, mark_since_by_id": run_since,
    "with Scope, texts": run_scope,
    "with Scope.new_by_id": run_scope_by_id,
    "traced function": run_traced,
    "Counter.set_int64": run_counter,
    "log": run_log,
}


def main():
    times = {name: [] for name in CASES}
    for _ in range(N_ROUNDS):
        for name, case in CASES.items():
            case(N_CALLS // 10)
            before = time.perf_counter_ns()
            case(N_CALLS)
            times[name].append((time.perf_counter_ns() - before) / N_CALLS)
            # The recorder empties the ring during this pause.
            time.sleep(0.002)
    nop = statistics.median(times["no-op GI call"])
    for name, list_ns in times.items():
        ns = statistics.median(list_ns)
        print(f"{name:34} {ns:9.1f} ns {ns / nop:7.2f} x")
    print(f"dropped: {Syscap.get_n_dropped()}")


if __name__ == "__main__":
    main()
