# SPDX-License-Identifier: BSD-2-Clause
"""Operations, during which their thread may do other work."""

from __future__ import annotations

import itertools
from types import TracebackType
from typing import Any, Callable, TypeVar

from ._events import (
    LINK_BEGIN,
    LINK_END,
    LINK_STEP,
    LINK_WHOLE,
    begin,
    linked,
)
from ._kinds import around

_F = TypeVar("_F", bound=Callable[..., Any])

_numbers = itertools.count(1)


def next_id() -> int:
    """Return a number that no other operation of this process has."""
    return next(_numbers)


def _check(what: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{what} must be str, not {type(value).__name__}")


class Operation:
    """An operation for the duration of a with statement, from operation().

    Without steps, the operation is one mark at its end.  The first step also
    makes a mark for the begin, with the message at this time.
    """

    __slots__ = ("_begin", "_has_steps", "_id", "_message", "_name", "_group")

    def __init__(
        self,
        group: str,
        name: str,
        message: str | None = None,
        *,
        id: int | None = None,  # noqa: A002
    ) -> None:
        _check("group", group)
        _check("name", name)
        if id is not None and not isinstance(id, int):
            raise TypeError(f"id must be int, not {type(id).__name__}")
        self._group = group
        self._name = name
        self.message = message
        self._id = next_id() if id is None else id
        self._begin = 0
        self._has_steps = False

    @property
    def group(self) -> str:
        return self._group

    @property
    def name(self) -> str:
        return self._name

    @property
    def id(self) -> int:
        """The operation's number, which other code passes to linked()."""
        return self._id

    @property
    def message(self) -> str | None:
        """The message of the mark; may be set until the first step or the
        end."""
        return self._message

    @message.setter
    def message(self, value: str | None) -> None:
        if value is not None:
            _check("message", value)
        self._message = value

    def step(self, name: str, message: str | None = None) -> None:
        """Record a step of this operation now, in any thread."""
        _check("name", name)
        if message is not None:
            _check("message", message)
        if self._begin == 0:
            return
        if not self._has_steps:
            self._has_steps = True
            linked(self._group, self._name, LINK_BEGIN, self._id,
                   self._message, begin=self._begin)
        linked(self._group, name, LINK_STEP, self._id, message)

    def _end(self) -> None:
        since, self._begin = self._begin, 0
        if since == 0:
            return
        if self._has_steps:
            self._has_steps = False
            linked(self._group, self._name, LINK_END, self._id, self._message)
        else:
            linked(self._group, self._name, LINK_WHOLE, self._id,
                   self._message, begin=since)

    def __call__(self, function: _F) -> _F:
        """Decorate a function or coroutine: each call is an operation."""
        return around(  # type: ignore[no-any-return]
            lambda: Operation(self._group, self._name, self._message),
            function,
        )

    def __enter__(self) -> Operation:
        self._begin = begin()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end()

    async def __aenter__(self) -> Operation:
        return self.__enter__()

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end()

    def __repr__(self) -> str:
        return f"syscap.operation({self._group!r}, {self._name!r})"


def operation(
    group: str,
    name: str,
    message: str | None = None,
    *,
    id: int | None = None,  # noqa: A002
) -> Operation:
    """An operation, for `with` or `async with`.

    Operations may overlap, also in one thread.  Each use needs its own object.
    By default id is a number that no other operation of this process has.
    """
    return Operation(group, name, message, id=id)
