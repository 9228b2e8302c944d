# SPDX-License-Identifier: BSD-2-Clause
"""Exceptions of the package.  Events raise none of these exceptions.

A wrong type raises TypeError, and a wrong value raises ValueError.
"""

from __future__ import annotations


class Error(OSError):
    """A failed call of the package.  errno is the reason."""

    __module__ = "syscap"

    def __str__(self) -> str:
        return str(self.strerror)


class RecordingError(Error):
    """start(), stop(), drain() or recording() failed.

    EALREADY: the process is recorded already.  ENOENT: start() was not called.
    EIO: the file cannot be made.  EFBIG: the capture had reached max_bytes.
    ETIMEDOUT: the last events were not written in time.
    """

    __module__ = "syscap"


class SamplingError(Error):
    """start_sampling(), stop_sampling() or sampling() failed.

    EALREADY: the process is sampled already.  ENOENT: nothing is sampled.
    """

    __module__ = "syscap"
