#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record/unwritten.sh - the summary of a recording whose file could not take all
# frames states what the file contains, and what it lacks.
set -eu
: "${SYSCAP:?names the binary to test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
	echo "$*"
	cat err
	exit 1
}

# number WORDS [FILE]: the number before WORDS in the messages
number() {
	sed -nE "s/^(.*[^0-9,])?([0-9,]+) $1.*$/\2/p" "${2:-err}" |
		head -n1 | tr -d ,
}

# member OBJECT NAME: prints a number of stat's JSON
member() {
	tr -d '\n ' <json | sed -nE "s/.*\"$1\":\{[^}]*\"$2\":([0-9]+).*/\1/p"
}

# shellcheck disable=SC2016
loop='i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); x="$x$i"; x=${x#????}; done'
status=0
(
	ulimit -f 300
	exec "$SYSCAP" record --memory --sample --no-symbols -o a.syscap -- \
		bash -c "$loop"
) 2>err || status=$?
[ $status = 125 ] || fail "exit status $status"
grep -q 'File too large' err || fail "no failure"
"$SYSCAP" stat --json a.syscap >json
grep ': a.syscap: [0-9,]* frames\? ' err >kept || fail "no first line"
grep ': not written: ' err >missing || fail "no second line"
for what in samples allocations; do
	one=${what%s}
	case $what in
	samples) stored=$(member samples count) ;;
	*) stored=$(member heap allocations) ;;
	esac
	stated=$(number "$one" kept)
	[ "${stated:-0}" = "${stored:-0}" ] ||
		fail "$what: stated ${stated:-0}, stored ${stored:-0}"
done
[ "$(number allocation missing)" -gt 0 ] || fail "no missing allocations"
[ "$(number 'more frames' missing)" = \
	"$("$SYSCAP" stat a.syscap |
		sed -nE 's/^  lost +([0-9]+) events.*/\1/p')" ] ||
	fail "other losses than in the file"
grep -q 'next: syscap stat a.syscap' err || fail "no hint"

# A file that cannot be read gets no hint.
"$SYSCAP" record --sample --no-symbols -o /dev/full -- true 2>err || true
grep -q 'No space left on device' err || fail "/dev/full took frames"
! grep 'next:' err || fail "a hint for /dev/full"
