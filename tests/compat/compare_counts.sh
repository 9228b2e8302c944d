#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# compare_counts.sh FILE - the reference's reader walks the capture to its end,
# and counts the same frames of each type as syscap.
#
# Reads SYSCAP (the command) and REF_COUNT (ref_count).
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$REF_COUNT" "$1" >"$work/theirs"
"$SYSCAP" stat --json "$1" >"$work/json"
# "frames" is the object here, not the number within "lost".
tr -d ' \t\n' <"$work/json" |
	sed -n 's/.*"frames":{\([^}]*\)}.*/\1/p' | tr ',' '\n' |
	sed 's/"//g; s/:/ /' | grep -v ' 0$' | LC_ALL=C sort >"$work/ours"
[ -s "$work/ours" ] || { echo "no frames in stat --json"; exit 1; }
LC_ALL=C sort "$work/theirs" | diff "$work/ours" - ||
	{ echo "$1: < is our count, > is the reference's"; exit 1; }
cat "$work/theirs"
