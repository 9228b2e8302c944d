#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
# thumbnails.py - a loop that pretends to draw pictures, and records its work:
#
#	syscap record -o py.syscap -- python3 thumbnails.py
#	syscap stat py.syscap
"""Marks, scopes, counters and logs through PyGObject."""

import hashlib

import gi

gi.require_version("Syscap", "1")
from gi.repository import GLib, Syscap  # noqa: E402

N_PICTURES = 40

n_drawn = Syscap.Counter.new(
    "thumbnails", "drawn", "Pictures drawn", Syscap.CounterType.INT64
)
mib = Syscap.Counter.new(
    "thumbnails", "MiB", "Size of all pictures", Syscap.CounterType.DOUBLE
)
# A frequent mark interns its names once, as a number.
SCALE = Syscap.intern("thumbnails", "scale")


def scale(size):
    begin = Syscap.begin()
    hashlib.sha256(b"\1" * size * 10000).digest()
    Syscap.mark_since_by_id(SCALE, begin)


def draw(i):
    with Syscap.Scope("thumbnails", "draw") as scope:
        scale(20 + i % 7 * 10)
        if i % 10 == 9:
            Syscap.instant("thumbnails", "flush", f"after {i + 1}")
        scope.end(f"picture {i}")


@Syscap.traced("thumbnails", "draw all")
def draw_all():
    for i in range(N_PICTURES):
        draw(i)
        n_drawn.set_int64(i + 1)
        mib.set_double((i + 1) * 0.75)


draw_all()
Syscap.log("thumbnails", GLib.LogLevelFlags.LEVEL_INFO, "all are drawn")
print(N_PICTURES, "pictures,", "recorded" * Syscap.is_active() or "not recorded")
