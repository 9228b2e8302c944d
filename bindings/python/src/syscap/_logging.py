# SPDX-License-Identifier: BSD-2-Clause
"""Write records of the logging module to the capture."""

from __future__ import annotations

import logging

from . import _events


def _severity(level: int) -> int:
    """Map a level of logging to GLib's levels, of which ERROR is the gravest."""
    if level >= logging.CRITICAL:
        return _events.ERROR
    if level >= logging.ERROR:
        return _events.CRITICAL
    if level >= logging.WARNING:
        return _events.WARNING
    if level > logging.INFO:
        return _events.MESSAGE
    if level == logging.INFO:
        return _events.INFO
    return _events.DEBUG


class LogHandler(logging.Handler):
    """A handler that records log events, whose domain is the logger's name.

        logging.getLogger().addHandler(syscap.LogHandler())

    Without a recording nothing is formatted.
    """

    def handle(self, record: logging.LogRecord) -> bool:
        # Do not take the lock of logging.Handler, since emit() needs no lock
        # and threads need not wait for each other
        if not _events.is_active():
            return True
        passed = self.filter(record)
        if isinstance(passed, logging.LogRecord):  # new since 3.12
            record = passed
        if passed:
            self.emit(record)
        return bool(passed)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            _events.log(
                _severity(record.levelno), record.name, self.format(record)
            )
        except Exception:
            self.handleError(record)
