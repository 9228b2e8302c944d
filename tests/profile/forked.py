# SPDX-License-Identifier: BSD-2-Clause
"""forked.py CAPTURE OUT - writer of a capture in which a process has the
mappings of its parent. All mappings get the parent's pid, and a FORK
frame follows."""
import struct
import sys

PARENT = 1 << 21


def main(path, out):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    pids, at = set(), 256
    while at + 24 <= len(data):
        length, _, pid, _, kind = struct.unpack_from("<HhiqB", data, at)
        if kind == 3:
            pids.add(pid)
            struct.pack_into("<i", data, at + 4, PARENT)
        at += length
    begin, = struct.unpack_from("<q", data, 72)
    child, = pids
    # After all mappings, so that the parent has them at the fork
    last = struct.pack("<HhiqB7xi4x", 32, -1, PARENT, begin + (1 << 40), 5,
                       child)
    with open(out, "wb") as file:
        file.write(data + last)


main(*sys.argv[1:])
