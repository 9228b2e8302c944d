#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# layout.sh - what copies of different versions share lies where the first
# version had it: every line of layout-v1.txt is still true.  Lines may be
# added to layout.c, for what was appended; none of the first ones may go.
set -eu

now=$("$SYSCAP_TEST_BIN/layout")
printf '%s\n' "$now" | sort >"${TMPDIR:-/tmp}/syscap-layout.$$"
trap 'rm -f "${TMPDIR:-/tmp}/syscap-layout.$$"' EXIT
gone=$(sort "$SYSCAP_SOURCE/tests/copies/layout-v1.txt" |
	comm -23 - "${TMPDIR:-/tmp}/syscap-layout.$$")
if [ -n "$gone" ]; then
	echo "not as in the first version (name, offset, size or value):"
	echo "$gone"
	exit 1
fi
