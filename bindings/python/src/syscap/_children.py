# SPDX-License-Identifier: BSD-2-Clause
"""Drain the events of multiprocessing's workers into their captures.

Workers end by os._exit(), which calls neither atexit functions nor the
library.  So workers drain in a finalizer of multiprocessing, after the
finalizers of multiprocessing's queues.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Callable

from . import _events
from ._errors import Error

_is_registered = False


def _drain() -> None:
    try:
        _events.drain()
    except Error:
        pass  # the ring file keeps the events, for `syscap recover`


def _drain_at_end(drain: Callable[[], None]) -> None:
    util: Any = sys.modules["multiprocessing.util"]
    util.Finalize(None, drain, exitpriority=-100)


def _register() -> None:
    # A new worker clears all finalizers, and then calls _drain_at_end()
    global _is_registered
    util = sys.modules.get("multiprocessing.util")
    if util is not None and not _is_registered:
        _is_registered = True
        util.register_after_fork(_drain, _drain_at_end)


def drain_workers() -> None:
    """Drain every later worker at its end, and this process if it is a
    worker."""
    os.register_at_fork(after_in_child=_register)
    _register()
