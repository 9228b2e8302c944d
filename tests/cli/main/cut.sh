#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# main/cut.sh - if a capture is truncated during reading, each command ends with
# a message and the offset, and never by a signal.
set -eu
: "${SYSCAP:?names the binary to test}"
tests=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v python3 >/dev/null || {
	echo "skip: there is no python3"
	exit 77
}

# Longer than a pipe's buffer and the read-ahead
python3 - "$work/whole" <<'END'
import struct, sys

header = struct.pack('<IBB', 0xFDCA975E, 1, 1)
header += bytes(72 - len(header)) + struct.pack('<qq', 1, 1000000)
with open(sys.argv[1], 'wb') as f:
    f.write(header.ljust(256, b'\0'))
    f.write(struct.pack('<HhiqBBHI8s', 32, 0, 7, 1, 4, 0, 0, 0, b'prog'))
    for i in range(60000):
        f.write(struct.pack('<HhiqBBHIq24s40s8s', 104, 0, 7, 10 + i, 10, 0, 0,
                            0, 5, b'group', b'name', b'message'))
END
"$SYSCAP" check "$work/whole" >/dev/null

# refuse WORDS... - truncates the file in the middle of dump's output
refuse() {
	cp "$work/whole" "$work/x"
	mkfifo "$work/pipe"
	status=0
	(
		head -c 1000 >/dev/null
		truncate -s "$size" "$work/x"
		cat >/dev/null
	) <"$work/pipe" &
	"$SYSCAP" "$@" "$work/x" >"$work/pipe" 2>"$work/said" || status=$?
	wait
	rm "$work/pipe"
	if [ $status != 1 ] || ! grep -q 'x: at byte [0-9]*: ' "$work/said"; then
		echo "syscap $*: $status"
		cat "$work/said"
		exit 1
	fi
}

for size in 0 300 81920 1000000 4000000; do
	refuse dump
	refuse dump --json
done
size=0
refuse dump
grep -q 'the file became shorter than [0-9]* bytes' \
	"$work/said"
