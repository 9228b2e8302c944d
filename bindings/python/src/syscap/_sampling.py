# SPDX-License-Identifier: BSD-2-Clause
"""Sampling of stacks by a timer, with Python's functions."""

from __future__ import annotations

import _thread
import atexit
import functools
import os
import sys
import threading
import warnings
from types import TracebackType
from typing import Any, Callable, Literal, TypeVar

from . import _events
from ._errors import Error
from ._kinds import around

_F = TypeVar("_F", bound=Callable[..., Any])

Clock = Literal["auto", "cpu", "wall", "perf"]
Stacks = Literal["merged", "python", "native"]

_CLOCKS = {"auto": 0, "cpu": 1, "wall": 2, "perf": 3}
_STACKS = {"merged": 0, "python": 1, "native": 2}


def _load_walker() -> Any:
    """Return the walker for this Python, or raise ImportError with the
    reason."""
    if sys.implementation.name != "cpython":
        raise ImportError(
            f"the stacks of {sys.implementation.name} are not known"
        )
    try:
        from . import _walker  # type: ignore[attr-defined]
    except ModuleNotFoundError:
        version = ".".join(map(str, sys.version_info[:2]))
        raise ImportError(
            f"this installation of syscap has no syscap._walker for Python "
            f"{version}: Python's functions can't be sampled "
            "(stacks='native' samples the others)"
        ) from None
    return _walker


def _attaching(
    start: Callable[..., Any], bootstrap: Callable[[Any], Any]
) -> Callable[..., Any]:
    @functools.wraps(start)
    def start_attached(function: Any, *args: Any, **kwargs: Any) -> Any:
        if callable(function):
            function = bootstrap(function)
        return start(function, *args, **kwargs)

    return start_attached


def _name_new_threads(bootstrap: Callable[[Any], Any]) -> None:
    for name in ("start_new_thread", "start_new", "start_joinable_thread"):
        start = getattr(_thread, name, None)
        if start is None:
            continue
        attached = _attaching(start, bootstrap)
        setattr(_thread, name, attached)
        # threading has its own references to these functions
        if getattr(threading, "_" + name, None) is start:
            setattr(threading, "_" + name, attached)


@functools.cache
def _name_threads() -> None:
    """Name the functions of all threads in samples, from now on."""
    walker = _load_walker()
    atexit.register(walker.end)
    _name_new_threads(walker.Bootstrap)
    walker.attach()
    if not walker.reach():
        warnings.warn(
            "threads that have a profile function (sys.setprofile) are "
            "sampled without their Python functions",
            RuntimeWarning,
            stacklevel=3,
        )


def name_threads_if_asked() -> None:
    """Name threads if the environment started sampling at the load of the
    library."""
    if not (
        os.environ.get("SYSCAP_SAMPLE")
        or os.environ.get("SYSCAP_TOGGLE_SIGNAL")
    ):
        return
    try:
        _name_threads()
        _load_walker().show_lines(os.environ.get("SYSCAP_LINES") == "1")
    except ImportError as error:
        warnings.warn(str(error), RuntimeWarning, stacklevel=3)


class _Session:
    """The arguments of start_sampling(), kept until stop_sampling()."""

    current: _Session | None = None

    def __init__(
        self, options: dict[str, int], children: bool, lines: bool
    ) -> None:
        self.options = options
        self.children = children
        self.lines = lines

    def start(self) -> str:
        message = _events.sampler_start(**self.options)
        if self.options["stacks"] != _STACKS["native"]:
            _load_walker().show_lines(self.lines)
        _Session.current = self
        return message


def _after_fork_in_child() -> None:
    session, _Session.current = _Session.current, None
    if session is not None and session.children:
        try:
            session.start()
        except Error as error:
            warnings.warn(
                f"this child process is not sampled: {error}",
                RuntimeWarning,
                stacklevel=2,
            )


os.register_at_fork(after_in_child=_after_fork_in_child)


def _choice(what: str, value: str, choices: dict[str, int]) -> int:
    try:
        return choices[value]
    except KeyError:
        raise ValueError(
            f"{what} must be one of {', '.join(choices)}, not {value!r}"
        ) from None


def _make_session(
    hz: int,
    clock: str,
    stacks: str,
    max_depth: int,
    signal: int,
    children: bool,
    lines: bool,
) -> _Session:
    options = {
        "hz": hz,
        "clock": _choice("clock", clock, _CLOCKS),
        "signal": signal,
        "max_depth": max_depth,
        "stacks": _choice("stacks", stacks, _STACKS),
    }
    if stacks != "native":
        _name_threads()
    return _Session(options, children, lines)


def start_sampling(
    hz: int = 1000,
    *,
    clock: Clock = "auto",
    stacks: Stacks = "merged",
    max_depth: int = 0,
    signal: int = 0,
    children: bool = False,
    lines: bool = False,
) -> str:
    """Sample every thread of this process until stop_sampling().

    Samples go into the capture like all events, so they need a recorder, or
    start().  Returns a description of the sampling.

    hz         samples per second of each thread, 1 to 20,000
    clock      "cpu", processor time; "wall", elapsed time; "perf",
               processor time by the kernel's profiling clock
    stacks     "merged", native frames and Python's in their order; "python";
               "native"
    max_depth  frames in a sample, 32 to 512; 0: 512
    signal     0: an unused real-time signal
    children   sample forked children, too
    lines      name functions with the running line, not with the line of
               their definition
    """
    return _make_session(
        hz, clock, stacks, max_depth, signal, children, lines
    ).start()


def stop_sampling() -> None:
    """End sampling.  No sample is taken after the call returns."""
    _events.sampler_stop()
    _Session.current = None


def sampling_stats() -> dict[str, Any]:
    """Return counts of samples since the start of the process."""
    return _events.sampler_stats()


class sampling:  # noqa: N801
    """Call start_sampling() and stop_sampling() around a block, or around each
    call of a function.

    If the environment or an outer block already samples the process, sampling
    continues unchanged.
    """

    def __init__(
        self,
        hz: int = 1000,
        *,
        clock: Clock = "auto",
        stacks: Stacks = "merged",
        max_depth: int = 0,
        signal: int = 0,
        children: bool = False,
        lines: bool = False,
    ) -> None:
        self._arguments = (
            hz, clock, stacks, max_depth, signal, children, lines
        )
        self._session: _Session | None = None

    def __call__(self, function: _F) -> _F:
        (
            hz, clock, stacks, max_depth, signal, children, lines
        ) = self._arguments
        return around(  # type: ignore[no-any-return]
            lambda: sampling(
                hz,
                clock=clock,
                stacks=stacks,
                max_depth=max_depth,
                signal=signal,
                children=children,
                lines=lines,
            ),
            function,
        )

    def __enter__(self) -> sampling:
        session = _make_session(*self._arguments)
        if _events.sampler_stats()["threads"] == 0:
            session.start()
            self._session = session
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        session, self._session = self._session, None
        # A child that was forked within the block has no session to end
        if session is not None and _Session.current is session:
            stop_sampling()
