# SPDX-License-Identifier: BSD-2-Clause
# deeds.py - the deeds of deeds.c, in PyGObject.
"""Make one event of each kind."""

import gi

gi.require_version("Syscap", "1")
from gi.repository import GLib, Syscap  # noqa: E402


def make_marks():
    number = Syscap.intern("deeds", "by id")
    now = Syscap.now()
    Syscap.mark("deeds", "mark", now, 5000000, "größe")
    Syscap.mark_since("deeds", "since", now)
    Syscap.mark_since("deeds", "since nothing", 0)
    Syscap.instant("deeds", "instant", "a text")
    assert number != 0
    assert Syscap.intern("deeds", "by id") == number
    Syscap.mark_by_id(number, now, 7)
    Syscap.mark_since_by_id(number, now, "until now")
    Syscap.mark_by_id(4000000, now, 7, "of nobody")
    Syscap.linked("deeds", "job", Syscap.Link.BEGIN, 42, "go")
    Syscap.linked("deeds", "job", Syscap.Link.END, 42)
    Syscap.metadata("deeds.version", "1.0")


def make_scopes():
    with Syscap.Scope("deeds", "block"):
        scope = Syscap.Scope.new("deeds", "scope")
        scope.end("done")
        scope.end("again")
        Syscap.Scope.new_by_id(Syscap.intern("deeds", "scope by id")).end()
        Syscap.Scope("ä" * 16, "ö" * 32).end()


def set_counters():
    whole = Syscap.Counter.new(
        "deeds", "whole", "An integer", Syscap.CounterType.INT64
    )
    real = Syscap.Counter.new(
        "deeds", "real", "A double", Syscap.CounterType.DOUBLE
    )
    assert whole.is_valid()
    whole.set_int64(-5)
    whole.set_double(2.9)
    whole.set_double(1e300)
    real.set_double(0.5)
    real.set_int64(3)
    whole.update_int64(8)
    whole.update_int64(8)
    real.update_double(8.25)
    real.update_double(8.25)
    total = Syscap.Counter.new(
        "deeds", "sum", "Added", Syscap.CounterType.INT64
    )
    total.add()
    total.add(6)
    total.add(-2)


make_marks()
make_scopes()
set_counters()
Syscap.log("deeds", GLib.LogLevelFlags.LEVEL_INFO, "a line")
print("recorded" if Syscap.is_active() else "off")
