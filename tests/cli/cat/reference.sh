#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cat/reference.sh - the reference's reader walks a joined capture to its end,
# and counts the frames of all inputs, except merged frames.
#
# Reads SYSCAP (the command) and REF_COUNT (ref_count).
set -eu
[ -n "${REF_COUNT:-}" ] || { echo "skip: no libsysprof-capture-4"; exit 77; }
corpus=$(cd "$(dirname "$0")/../../fuzz/corpus" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$corpus"

# counts FILE... - prints "type number" for all files together.
counts() {
	for file; do
		"$SYSCAP" dump --json "$file" |
			sed -n 's/^{"type": *"\([a-z_]*\)".*/\1/p'
	done | LC_ALL=C sort | uniq -c | awk '{ print $2, $1 }'
}

# expect DIFFERENCE FILE... - the joined capture has as many frames of each type
# as the files, except for DIFFERENCE, in diff's form.
expect() {
	difference=$1
	shift
	"$SYSCAP" cat -q -o "$work/joined" "$@"
	counts "$@" >"$work/inputs"
	"$REF_COUNT" "$work/joined" | LC_ALL=C sort >"$work/reference"
	counts "$work/joined" | diff - "$work/reference"
	got=$(diff "$work/inputs" "$work/reference" | sed -n '/^[<>]/p' |
		tr '\n' ' ')
	[ "$got" = "$difference" ] ||
		{ echo "$*: expected '$difference', got '$got'"; exit 1; }
}

# A frame index is left out, and a CTRDEF with nothing new in it.
expect '< ctrdef 3 > ctrdef 2 < timestamp 2 > timestamp 1 ' join/left.syscap
# A file chunk that both have is left out, too, and two tables become one,
# preceded by a time.
expect '< ctrdef 6 > ctrdef 4 < file_chunk 8 > file_chunk 6 '\
'< timestamp 4 > timestamp 3 ' join/left.syscap join/right.syscap
expect '' reader/numbers.syscap reader/header_only.syscap
