# SPDX-License-Identifier: BSD-2-Clause
"""Record a program's work for a profiler.

    import syscap

    with syscap.scope("app", "load", "users.db"):
        ...

    @syscap.traced
    def paint(): ...

    async with syscap.operation("app", "request"):
        ...

    frames = syscap.counter("app", "frames", "Frames drawn so far")
    frames.add()

Run the program under a recorder: ``syscap record -- python3 app.py``.  Without a
recording, each of these calls is a test and a return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._events import (
    CRITICAL,
    DEBUG,
    ERROR,
    INFO,
    LINK_BEGIN,
    LINK_END,
    LINK_IN,
    LINK_OUT,
    LINK_STEP,
    LINK_WHOLE,
    MESSAGE,
    WARNING,
    Counter,
    Scope,
    begin,
    clock,
    counter,
    drain,
    is_active,
    linked,
    log,
    mark,
    metadata,
    scope,
    start,
    stats,
    stop,
)
from ._children import drain_workers
from ._errors import Error, RecordingError, SamplingError
from ._operation import Operation, operation
from ._recording import recording
from ._sampling import (
    name_threads_if_asked,
    sampling,
    sampling_stats,
    start_sampling,
    stop_sampling,
)
from ._traced import traced

if TYPE_CHECKING:
    from ._logging import LogHandler

__version__ = "0.1.0"

__all__ = [
    "CRITICAL",
    "DEBUG",
    "ERROR",
    "INFO",
    "LINK_BEGIN",
    "LINK_END",
    "LINK_IN",
    "LINK_OUT",
    "LINK_STEP",
    "LINK_WHOLE",
    "MESSAGE",
    "WARNING",
    "Counter",
    "Error",
    "LogHandler",
    "Operation",
    "RecordingError",
    "SamplingError",
    "Scope",
    "begin",
    "clock",
    "counter",
    "drain",
    "is_active",
    "linked",
    "log",
    "mark",
    "metadata",
    "operation",
    "recording",
    "sampling",
    "sampling_stats",
    "scope",
    "start",
    "start_sampling",
    "stats",
    "stop",
    "stop_sampling",
    "traced",
]


def __getattr__(name: str) -> Any:
    # Import of logging takes longer than import of this package
    if name == "LogHandler":
        from ._logging import LogHandler

        globals()[name] = LogHandler
        return LogHandler
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


drain_workers()
name_threads_if_asked()
del drain_workers, name_threads_if_asked
