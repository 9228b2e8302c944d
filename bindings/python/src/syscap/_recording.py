# SPDX-License-Identifier: BSD-2-Clause
"""Recording of this process into its own capture, during a block."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any, Callable, TypeVar

from . import _events
from ._kinds import around

_F = TypeVar("_F", bound=Callable[..., Any])


class recording:  # noqa: N801
    """Call start() and stop() around a block, or around each call of a function.

    The value of the with statement is the capture's name.
    """

    def __init__(
        self,
        output: str | os.PathLike[str],
        *,
        max_bytes: int = 0,
        ring_kib: int = 0,
        interval_ms: int = 0,
        exit_flush_ms: int = 0,
    ) -> None:
        self._output = output
        self._options = {
            "max_bytes": max_bytes,
            "ring_kib": ring_kib,
            "interval_ms": interval_ms,
            "exit_flush_ms": exit_flush_ms,
        }
        self._pid = 0

    def __call__(self, function: _F) -> _F:
        return around(  # type: ignore[no-any-return]
            lambda: recording(self._output, **self._options), function
        )

    def __enter__(self) -> str:
        name = _events.start(self._output, **self._options)
        self._pid = os.getpid()
        return name

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # A forked child that leaves the block must not end its own recording
        if os.getpid() == self._pid:
            _events.stop()
