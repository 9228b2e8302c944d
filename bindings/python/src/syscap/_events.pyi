# SPDX-License-Identifier: BSD-2-Clause
# _events.pyi - types of the module _events (csrc/events/).

import os
from types import TracebackType
from typing import Any, Awaitable, Callable, SupportsFloat, SupportsIndex, TypeVar

ERROR: int
CRITICAL: int
WARNING: int
MESSAGE: int
INFO: int
DEBUG: int

LINK_WHOLE: int
LINK_BEGIN: int
LINK_STEP: int
LINK_END: int
LINK_OUT: int
LINK_IN: int

bridge: object

_F = TypeVar("_F", bound=Callable[..., Any])

class Scope:
    @property
    def group(self) -> str: ...
    @property
    def name(self) -> str: ...
    message: str | None
    def __call__(self, function: _F, /) -> _F: ...
    def __enter__(self) -> Scope: ...
    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
    def __aenter__(self) -> Awaitable[Scope]: ...
    def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> Awaitable[None]: ...

class Counter:
    @property
    def category(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int | float: ...
    def set(self, value: SupportsIndex | SupportsFloat, /) -> None: ...
    def update(self, value: SupportsIndex | SupportsFloat, /) -> None: ...
    def add(self, n: SupportsIndex | SupportsFloat = 1, /) -> None: ...

class Traced:
    def __init__(
        self, function: Callable[..., Any], group: str, name: str, /
    ) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

def scope(group: str, name: str, message: str | None = None) -> Scope: ...
def counter(
    category: str,
    name: str,
    description: str | None = "",
    type: type[int] | type[float] = int,
) -> Counter: ...
def mark(
    group: str,
    name: str,
    message: str | None = None,
    *,
    begin: int | None = None,
    duration: int | None = None,
) -> None: ...
def linked(
    group: str,
    name: str,
    link: int,
    id: int,
    message: str | None = None,
    *,
    begin: int | None = None,
) -> None: ...
def log(severity: int, domain: str, message: str) -> None: ...
def metadata(id: str, value: str) -> None: ...
def is_active() -> bool: ...
def clock() -> int: ...
def begin() -> int: ...
def start(
    output: str | os.PathLike[str],
    *,
    max_bytes: int = 0,
    ring_kib: int = 0,
    interval_ms: int = 0,
    exit_flush_ms: int = 0,
) -> str: ...
def stop() -> None: ...
def drain() -> None: ...
def stats() -> dict[str, Any]: ...
def sampler_start(
    hz: int, clock: int, signal: int, max_depth: int, stacks: int
) -> str: ...
def sampler_stop() -> None: ...
def sampler_stats() -> dict[str, Any]: ...
def _nothing() -> None: ...
