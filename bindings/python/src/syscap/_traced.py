# SPDX-License-Identifier: BSD-2-Clause
"""Functions whose calls are marks."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, TypeVar, overload

from ._events import Traced, scope

_F = TypeVar("_F", bound=Callable[..., Any])


def _of_coroutine(function: Any, group: str, name: str) -> Any:
    @functools.wraps(function)
    async def traced_coroutine(*args: Any, **kwargs: Any) -> Any:
        with scope(group, name):
            return await function(*args, **kwargs)

    return traced_coroutine


def _of_generator(function: Any, group: str, name: str) -> Any:
    @functools.wraps(function)
    def traced_generator(*args: Any, **kwargs: Any) -> Any:
        with scope(group, name):
            return (yield from function(*args, **kwargs))

    return traced_generator


@overload
def traced(function: _F, /) -> _F: ...


@overload
def traced(
    *, group: str | None = None, name: str | None = None
) -> Callable[[_F], _F]: ...


def traced(
    function: Any = None,
    /,
    *,
    group: str | None = None,
    name: str | None = None,
) -> Any:
    """Make each call of a function a mark, from its beginning to its end.

    The mark's group is the function's module and its name the qualified name
    of the function, if nothing else is said.  Of a coroutine or generator the
    mark lasts from its first step to its end, with what it waited for.
    """
    if function is None:
        return functools.partial(traced, group=group, name=name)
    if not callable(function):
        raise TypeError(f"{function!r} is not callable")
    if inspect.isasyncgenfunction(function):
        raise TypeError(
            "an asynchronous generator can't be traced: "
            "use syscap.scope() in it"
        )
    if group is None:
        group = getattr(function, "__module__", None) or "python"
    if name is None:
        name = getattr(function, "__qualname__", None) or repr(function)
    if inspect.iscoroutinefunction(function):
        return _of_coroutine(function, group, name)
    if inspect.isgeneratorfunction(function):
        return _of_generator(function, group, name)
    return functools.update_wrapper(Traced(function, group, name), function)
