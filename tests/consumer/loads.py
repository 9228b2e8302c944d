# SPDX-License-Identifier: BSD-2-Clause
"""loads.py LIBRARY CAPTURE - the same as loads.c, in Python with ctypes."""
import ctypes
import sys
from ctypes import (c_bool, c_char, c_char_p, c_int64, c_size_t, c_uint,
                    c_uint32, c_uint64)


class Options(ctypes.Structure):
    """struct syscap_options"""
    _fields_ = [("size", c_size_t), ("output", c_char_p),
                ("max_bytes", c_uint64), ("ring_kib", c_uint32),
                ("interval_ms", c_uint32), ("exit_flush_ms", c_uint32),
                ("flags", c_uint), ("message", c_char * 1024)]


library = ctypes.CDLL(sys.argv[1])
library.syscap_is_active.restype = c_bool
library.syscap_clock.restype = c_int64
library.syscap_begin.restype = c_int64
library.syscap_mark.argtypes = [c_char_p, c_char_p, c_int64, c_int64, c_char_p]
library.syscap_log.argtypes = [c_uint, c_char_p, c_char_p]

options = Options(size=ctypes.sizeof(Options), output=sys.argv[2].encode())
assert not library.syscap_is_active()
assert library.syscap_start(ctypes.byref(options)) == 0
assert library.syscap_is_active()
begin = library.syscap_begin()
library.syscap_mark(b"consumer", b"loaded", begin,
                    library.syscap_clock() - begin, b"by Python")
library.syscap_log(64, b"consumer", b"loaded")
assert library.syscap_stop() == 0
