#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_late.sh - a sampled program whose whole life passes while the recorder
# stands still has names all the same: it tells itself what it has mapped.
#
# It is stopped before the program begins, and goes on when that has ended.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# Which function ticks hit is luck; that they hit one of these is not.
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
