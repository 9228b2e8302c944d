# SPDX-License-Identifier: BSD-2-Clause
"""A capture of this process' own, for as long as a block takes."""

from __future__ import annotations

import contextlib
import os
from typing import Iterator

from . import _events


@contextlib.contextmanager
def recording(
    output: str | os.PathLike[str],
    *,
    max_bytes: int = 0,
    ring_kib: int = 0,
    interval_ms: int = 0,
    exit_flush_ms: int = 0,
) -> Iterator[str]:
    """start() and stop() around a block; yields the capture's name."""
    name = _events.start(
        output,
        max_bytes=max_bytes,
        ring_kib=ring_kib,
        interval_ms=interval_ms,
        exit_flush_ms=exit_flush_ms,
    )
    pid = os.getpid()
    try:
        yield name
    finally:
        # A forked child that leaves the block has a recording of its own
        if os.getpid() == pid:
            _events.stop()
