# SPDX-License-Identifier: BSD-2-Clause
"""The kinds of functions, and a wrapper for each call of a function."""

from __future__ import annotations

import enum
import functools
import inspect
from typing import Any, Callable, ContextManager


class Kind(enum.Enum):
    """The kind of a function.  A CALL ends on return, but the other kinds may
    continue."""

    CALL = enum.auto()
    COROUTINE = enum.auto()
    OLD_COROUTINE = enum.auto()  # from types.coroutine(): a generator inside
    GENERATOR = enum.auto()
    ASYNC_GENERATOR = enum.auto()


def _kind_of_code(function: Any) -> Kind:
    if inspect.isasyncgenfunction(function):
        return Kind.ASYNC_GENERATOR
    if inspect.iscoroutinefunction(function):
        return Kind.COROUTINE
    if inspect.isgeneratorfunction(function):
        code = getattr(inspect.unwrap(function), "__code__", None)
        flags = getattr(code, "co_flags", 0)
        if flags & inspect.CO_ITERABLE_COROUTINE:
            return Kind.OLD_COROUTINE
        return Kind.GENERATOR
    return Kind.CALL


def kind_of(function: Any) -> Kind:
    """Return the kind of a function, method, partial() or object with
    __call__."""
    kind = _kind_of_code(function)
    if kind is Kind.CALL and not inspect.isclass(function):
        return _kind_of_code(getattr(type(function), "__call__", None))
    return kind


def around(
    enter: Callable[[], ContextManager[Any]], function: Callable[..., Any]
) -> Any:
    """Return a wrapper of function that runs each call within a context of
    enter()."""
    kind = kind_of(function)
    if kind is Kind.CALL:

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with enter():
                return function(*args, **kwargs)

        return call
    if kind is Kind.COROUTINE:

        @functools.wraps(function)
        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            with enter():
                return await function(*args, **kwargs)

        return coroutine
    raise TypeError(
        f"{function!r} is a generator: it may be left and never be resumed; "
        "use a with statement where it is used"
    )
