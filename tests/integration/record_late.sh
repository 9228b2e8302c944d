#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_late.sh - a sampled program that begins and ends while the recorder is
# stopped has names, as the program records its own mappings.
#
# The recorder is stopped before the program begins, and continues after the
# program's end.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# Ticks hit a random function, but surely one of these.
own='"(sort_numbers|compare|fibonacci)"'

SYSCAP_SAMPLE=1000 "$SYSCAP" record -q --no-symbols -o late.syscap -- \
	sh -c 'kill -STOP $PPID; "$@"; kill -CONT $PPID' sh \
	"$SYSCAP_TEST_BIN/profile_work" 200
"$SYSCAP" dump --type=map late.syscap >maps
grep -q '/profile_work"' maps || {
	echo "FAIL: nobody told what the program had mapped"
	exit 1
}
"$SYSCAP" check late.syscap
"$SYSCAP" stat --json --tree late.syscap >late.json
grep -Eq "$own" late.json || {
	echo "FAIL: its functions have no names"
	exit 1
}
"$SYSCAP" symbolize -q -o named.syscap late.syscap
"$SYSCAP" stat --json --tree --no-lookup named.syscap >named.json
grep -Eq "$own" named.json || {
	echo "FAIL: symbolize finds no names"
	exit 1
}
