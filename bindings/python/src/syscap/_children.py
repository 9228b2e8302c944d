# SPDX-License-Identifier: BSD-2-Clause
"""What workers of multiprocessing recorded gets into their captures.

They end by os._exit(), where neither atexit nor the library is asked.  So they
drain where multiprocessing ends what has to end: after its own queues.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Callable

from . import _events

_is_registered = False


def _drain() -> None:
    try:
        _events.drain()
    except OSError:
        pass  # it is in the ring file, for `syscap recover`


def _drain_at_end(drain: Callable[[], None]) -> None:
    util: Any = sys.modules["multiprocessing.util"]
    util.Finalize(None, drain, exitpriority=-100)


def _register() -> None:
    # A worker that begins forgets all finalizers, and calls this then
    global _is_registered
    util = sys.modules.get("multiprocessing.util")
    if util is not None and not _is_registered:
        _is_registered = True
        util.register_after_fork(_drain, _drain_at_end)


def drain_workers() -> None:
    """In every worker, from now on; also in this process if it is one."""
    os.register_at_fork(after_in_child=_register)
    _register()
