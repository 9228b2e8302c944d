# SPDX-License-Identifier: BSD-2-Clause
"""opening.py DIRECTORY - captures of 10 s, with 10,000 samples each: plain, with
a crash after 8 s, with a stall that has not ended, with the same stall and its
mark, of a process in flight mode, and with a crash only."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "export"))
from story import BEGIN, Story, text

CRASHED, STALLED = 0x60000000, 0x5F000000
AT = BEGIN + 8_000_000_000


class Opening(Story):
    def __init__(self, n=10000):
        super().__init__(n=n)

    def stack(self, tag, names):
        """A SAMPLE with names, innermost first, that no timer requested."""
        addresses = []
        for name in names:
            address = 0xE000000000100000 + len(self.frames)
            self.frame(7, 10, AT, 0, struct.pack("<IQ", 1, address) +
                       name.encode() + b"\0")
            addresses.append(address)
        self.frame(2, 10, AT + 5, tag, struct.pack(
            "<HHi%dQ" % len(addresses), len(addresses), 0, 11, *addresses))

    def crash(self):
        self.frame(12, 10, AT, 0x5C000000 | 11, struct.pack("<HHI", 4, 0, 0) +
                   text("syscap.crash", 32) + b"SIGSEGV at address 0x10: "
                   b"no memory is mapped\0")
        self.stack(CRASHED, ["crashed by SIGSEGV", "faulty", "caller", "main"])
        return self

    def stall(self):
        self.stack(STALLED | 60_000, ["busy", "dispatch", "main"])
        return self

    def end_stall(self):
        self.mark(10, 11, AT - 60_000_000, 70_000_000, "loop", "stall")
        return self

    def flight(self):
        self.frame(11, 10, BEGIN, 0, text("syscap.mode", 40) + b"flight\0")
        return self


os.chdir(sys.argv[1])
Opening().write("plain.syscap")
Opening().crash().write("crash.syscap")
Opening().stall().write("stall.syscap")
Opening().stall().end_stall().write("ended.syscap")
Opening().flight().write("flight.syscap")
only = Opening().crash()
only.frames = [f for f in only.frames if f[16] != 2 or
               struct.unpack_from("<I", f, 20)[0] == CRASHED]
only.write("only.syscap")
