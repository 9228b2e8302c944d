# SPDX-License-Identifier: BSD-2-Clause
# Syscap.py - the namespace's adaptation to PyGObject.
"""Overrides of gi.repository.Syscap: scopes for ``with``, a decorator."""

import functools
import inspect

from ..module import get_introspection_module

_native = get_introspection_module("Syscap")

_begin = _native.begin
_mark_since = _native.mark_since
_mark_since_by_id = _native.mark_since_by_id
_start = _native.start
_sampler_start = _native.sampler_start

__all__ = ["Scope", "sampler_start", "start", "traced"]

# PyGObject takes microseconds to look up a missing name at each use.
for _name in dir(_native):
    if not _name.startswith("_") and _name not in __all__:
        globals()[_name] = getattr(_native, _name)
        __all__.append(_name)


_counter_add = _native.Counter.add


def _add(counter, n=1):
    """Add n, also without a recording, and record the sum."""
    _counter_add(counter, n)


_native.Counter.add = _add


class Scope:
    """A mark from its creation until end() or the end of a with statement.

    A scope that never ends makes no mark.
    """

    __slots__ = ("_begin", "_group", "_name")

    def __init__(self, group, name):
        self._group = group
        self._name = name
        self._begin = _begin()

    @classmethod
    def new(cls, group, name):
        """Begin a scope like the constructor."""
        return cls(group, name)

    @classmethod
    def new_by_id(cls, number):
        """Begin a scope whose texts have @number, from Syscap.intern()."""
        return cls(number, None)

    def end(self, message=None):
        """Record the scope as a mark.  Further calls do nothing."""
        begin = self._begin
        if begin:
            self._begin = 0
            if self._name is None:
                _mark_since_by_id(self._group, begin, message)
            else:
                _mark_since(self._group, self._name, begin, message)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self._begin:
            self.end()


def _is_any(kind, function):
    return kind(function) or (
        not inspect.isclass(function)
        and kind(getattr(type(function), "__call__", None))
    )


def _of_function(function, number):
    @functools.wraps(function)
    def run(*args, **kwargs):
        begin = _begin()
        try:
            return function(*args, **kwargs)
        finally:
            if begin:
                _mark_since_by_id(number, begin)

    return run


def _of_generator(function, number):
    @functools.wraps(function)
    def run(*args, **kwargs):
        begin = _begin()
        try:
            return (yield from function(*args, **kwargs))
        finally:
            if begin:
                _mark_since_by_id(number, begin)

    return run


def _of_coroutine(function, number):
    @functools.wraps(function)
    async def run(*args, **kwargs):
        begin = _begin()
        try:
            return await function(*args, **kwargs)
        finally:
            if begin:
                _mark_since_by_id(number, begin)

    return run


def _of_async_generator(function, number):
    @functools.wraps(function)
    async def run(*args, **kwargs):
        begin = _begin()
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
            if begin:
                _mark_since_by_id(number, begin)

    return run


_MAKERS = (
    (inspect.isasyncgenfunction, _of_async_generator),
    (inspect.iscoroutinefunction, _of_coroutine),
    (inspect.isgeneratorfunction, _of_generator),
)


def traced(group, name=None):
    """Record the decorated function from its call to its end.

    The call of a coroutine or generator ends with the last step.  The default
    name is the qualified name of the function.
    """

    def decorate(function):
        if isinstance(function, (classmethod, staticmethod)):
            return type(function)(decorate(function.__func__))
        if not callable(function):
            raise TypeError(f"{function!r} is not callable")
        called = name or getattr(function, "__qualname__", repr(function))
        number = _native.intern(group, called)
        for kind, make in _MAKERS:
            if _is_any(kind, function):
                return make(function, number)
        return _of_function(function, number)

    return decorate


def start(output, options=None, **fields):
    """Record this process into a new capture, and return the file's name.

    Fields of Syscap.StartOptions may be given by name.
    """
    if fields:
        if options is not None:
            raise TypeError("either options or their fields")
        options = _native.StartOptions()
        for field, value in fields.items():
            if not hasattr(options, field) or field == "reserved":
                raise TypeError(f"there is no option {field!r}")
            setattr(options, field, value)
    return _start(output, options)


def sampler_start(hz=0, clock=_native.SamplerClock.AUTO):
    """Sample the stack of every thread, and return a description of the
    sampling."""
    return _sampler_start(hz, clock)
