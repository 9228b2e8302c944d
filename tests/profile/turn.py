# SPDX-License-Identifier: BSD-2-Clause
"""turn.py LITTLE BIG - conversion of a capture to big-endian order.

Omits frames of types that no program writes, and the flags of stacks, which
exist only in little-endian captures.
"""
import struct
import sys

FIXED = {2: "HHi", 3: "QQQQ", 4: "", 5: "i", 6: "", 7: "I", 10: "q", 11: "",
         8: "H", 9: "H", 12: "H", 13: "HH", 14: "QqiHH"}


def turn(form, frame, at):
    values = struct.unpack_from("<" + form, frame, at)
    struct.pack_into(">" + form, frame, at, *values)
    return values


def turn_names(frame, n):
    at = 28
    for _ in range(n):
        turn("Q", frame, at)
        at = frame.index(b"\0", at + 8) + 1


def turn_table(table):
    at = 0
    while any(turn("QQIIII", table, at)[:4]):
        at += 32


def main(source, target):
    with open(source, "rb") as file:
        data = file.read()
    header = bytearray(data[:256])
    turn("qqQ", header, 72)
    header[5] = 0
    frames, chunks, table = [], [], bytearray()
    at = 256
    while at < len(data):
        length, kind = struct.unpack_from("<H14xB", data, at)
        frame = bytearray(data[at:at + length])
        at += length
        if kind not in FIXED:
            continue
        turn("HhiqB3xI", frame, 0)
        fields = turn(FIXED[kind], frame, 24)
        if kind == 2:
            turn("%dQ" % fields[0], frame, 32)
            struct.pack_into(">H", frame, 26, 0)
        elif kind == 7:
            turn_names(frame, fields[0])
        elif kind == 13:
            struct.pack_into(">H", frame, 24, 0x8000 if fields[0] & 1 else 0)
            if frame[28:284].startswith(b"__symbols__\0"):
                chunks.append((frame, len(table), fields[1]))
                table += frame[284:284 + fields[1]]
        elif kind == 8:
            for i in range(32, 32 + 128 * fields[0], 128):
                frame[i + 116:i + 119] = frame[i + 116:i + 119][::-1]
                turn("Q", frame, i + 120)
        elif kind == 9:
            for i in range(32, 32 + 96 * fields[0], 96):
                turn("8I8Q", frame, i)
        elif kind == 14:
            turn("%dQ" % fields[3], frame, 48)
        frames.append(frame)
    if table:
        turn_table(table)
    for frame, begin, length in chunks:
        frame[284:284 + length] = table[begin:begin + length]
    with open(target, "wb") as file:
        file.write(header + b"".join(frames))


main(*sys.argv[1:])
