#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# diff/signs.sh - both bounds of a row that differs have the sign of the change,
# also next to 0.
set -eu
: "${SYSCAP:?names the binary to test}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 - <<'PY'
import struct


def frame(kind, body):
    return struct.pack("<HhiqBxxxI", 24 + len(body), 0, 1, 1, kind, 0) + body


for name, first in (("base", 100000), ("more", 100030), ("less", 99970)):
    for run in range(4):
        with open("%s%d.syscap" % (name, run), "wb") as file:
            file.write(struct.pack("<IBBxx64sqqQ160x", 0xFDCA975E, 1, 1,
                                   b"2026", 1, 2, 0))
            file.write(frame(8, struct.pack("<HHI32s32s52sI8x", 1, 0, 0,
                                            b"app", b"steps", b"", 1)))
            file.write(frame(9, struct.pack("<HHI8Iq56x", 1, 0, 0, 1,
                                            *[0] * 7, first + run * 8)))
PY
for side in more less; do
	"$SYSCAP" diff base?.syscap -- $side?.syscap >$side
	grep 'app/steps' $side
done
if grep -F -e '-0' more || grep -F -e '+0' less; then
	echo "a bound has the wrong sign"
	exit 1
fi
