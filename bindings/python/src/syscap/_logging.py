# SPDX-License-Identifier: BSD-2-Clause
"""Records of the logging module, in the capture."""

from __future__ import annotations

import logging

from . import _events


def _severity(level: int) -> int:
    """GLib's levels, in the order of ours: its ERROR is the gravest."""
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
    """Records become log events: the domain is the logger's name.

        logging.getLogger().addHandler(syscap.LogHandler())

    While nothing is recorded nothing is formatted.
    """

    def handle(self, record: logging.LogRecord) -> bool:
        # Without the lock of logging.Handler: emitting needs none, and
        # threads that log need not queue for one
        if not _events.is_active():
            return True
        passed = self.filter(record)
        if isinstance(passed, logging.LogRecord):  # 3.12: a filter's own
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
