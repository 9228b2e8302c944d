# SPDX-License-Identifier: BSD-2-Clause
"""Functions whose calls are marks.

Other code may run in the thread of a coroutine or generator before its end.  So
its mark is an operation, which other operations may overlap.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import Any, Callable, TypeVar, overload

from ._events import LINK_WHOLE, Traced, begin, linked
from ._kinds import Kind, kind_of
from ._operation import next_id

_F = TypeVar("_F", bound=Callable[..., Any])

def _task_name() -> str | None:
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return None
    try:
        name = asyncio.current_task().get_name()
    except (AttributeError, RuntimeError):
        return None  # no task, or no loop, as in libraries other than asyncio
    return name if isinstance(name, str) else None


def _end(group: str, name: str, since: int) -> None:
    if since:
        linked(group, name, LINK_WHOLE, next_id(), _task_name(), begin=since)


def _of_coroutine(function: Any, group: str, name: str) -> Any:
    @functools.wraps(function)
    async def traced_coroutine(*args: Any, **kwargs: Any) -> Any:
        since = begin()
        try:
            return await function(*args, **kwargs)
        finally:
            _end(group, name, since)

    return traced_coroutine


def _of_generator(function: Any, group: str, name: str) -> Any:
    @functools.wraps(function)
    def traced_generator(*args: Any, **kwargs: Any) -> Any:
        since = begin()
        try:
            return (yield from function(*args, **kwargs))
        finally:
            _end(group, name, since)

    return traced_generator


def _of_old_coroutine(function: Any, group: str, name: str) -> Any:
    return types.coroutine(_of_generator(function, group, name))


def _of_async_generator(function: Any, group: str, name: str) -> Any:
    @functools.wraps(function)
    async def traced_generator(*args: Any, **kwargs: Any) -> Any:
        since = begin()
        inner = function(*args, **kwargs)
        try:
            # This loop is `yield from`, which asynchronous generators lack
            step = inner.__anext__()
            while True:
                try:
                    item = await step
                except StopAsyncIteration:
                    return
                try:
                    sent = yield item
                except GeneratorExit:
                    await inner.aclose()
                    raise
                except BaseException as error:
                    step = inner.athrow(error)
                else:
                    step = inner.asend(sent)
        finally:
            _end(group, name, since)

    return traced_generator


_MAKERS = {
    Kind.COROUTINE: _of_coroutine,
    Kind.OLD_COROUTINE: _of_old_coroutine,
    Kind.GENERATOR: _of_generator,
    Kind.ASYNC_GENERATOR: _of_async_generator,
}


def trace(function: Any, group: str | None, name: str | None) -> Any:
    """Return the traced function, for the arguments of traced()."""
    if isinstance(function, (classmethod, staticmethod)):
        return type(function)(trace(function.__func__, group, name))
    if not callable(function):
        raise TypeError(f"{function!r} is not callable")
    if group is None:
        group = getattr(function, "__module__", None) or "python"
    if name is None:
        name = getattr(function, "__qualname__", None) or repr(function)
    make = _MAKERS.get(kind_of(function))
    if make is not None:
        return make(function, group, name)
    return functools.update_wrapper(Traced(function, group, name), function)


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

    By default the mark's group is the function's module, and the mark's name
    is the qualified name of the function.  For a coroutine or generator the
    mark is an operation (docs/marks.md), from its first step to its end,
    including waits.  The message of the operation is the name of the asyncio
    task in which it ended.
    """
    if function is None:
        return functools.partial(traced, group=group, name=name)
    return trace(function, group, name)
