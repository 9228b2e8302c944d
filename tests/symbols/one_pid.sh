#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# one_pid.sh RECORD_SELF RECORD_SECOND REF_RESOLVE - a join keeps two processes
# with the same pid apart, as in two containers.  Sysprof 3.46 and syscap find
# the names of each process's own functions.
set -eu
: "${SYSCAP:?names the binary to test}"
first=$1 second=$2 ref_resolve=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "failed: $*"; exit 1; }

# The two programs have the same addresses, as without randomisation, so that
# their names overlap.
cp "$first" one
cp "$second" two
fixed=
setarch -R true 2>/dev/null && fixed='setarch -R'
$fixed ./one one.syscap 1 >wanted.one
$fixed ./two two.syscap 1 >wanted.two
for name in one two; do
	"$SYSCAP" symbolize -q $name.syscap
done
"$SYSCAP" cat -o both.syscap one.syscap two.syscap 2>note
grep -q 'two.syscap: note: process 1 (./two) differs from that of one.syscap; renumbered it to 4194305' \
	note || fail "no message: $(cat note)"
"$SYSCAP" check --strict both.syscap >out || fail "$(cat out)"
"$SYSCAP" dump --type metadata both.syscap |
	grep -q 'pid 4194305 id "syscap.pid" text "1"' || fail "no metadata"

# syscap's own reader: `symbolize` keeps existing names.
rm one two
"$SYSCAP" symbolize -q --force -o again.syscap both.syscap
"$SYSCAP" check again.syscap >out || fail "$(cat out)"

# own PID NAME FILE - the program's own functions in the first stack of PID.  Do
# not call this in a pipe, as it may skip the test.
own() {
	status=0
	"$ref_resolve" "$3" "$1" >names || status=$?
	[ $status -ne 77 ] || { cat names >&2; exit 77; }
	[ $status -eq 0 ] || fail "the reference ended with $status"
	sed -n "s/ \\[$2\\]\$//p" names | uniq | head -3
}
for file in both again; do
	own 1 one $file.syscap >theirs
	diff wanted.one theirs || fail "$file: other names"
	own 4194305 two $file.syscap >theirs
	diff wanted.two theirs || fail "$file: other names"
done

# If the captures are only concatenated, `check` reports it.
{ cat one.syscap; tail -c +257 two.syscap; } >mixed.syscap
"$SYSCAP" check mixed.syscap >out 2>&1 || fail "$(cat out)"
grep -q 'PROCESS frames of pid 1 are not in time order' out || fail "no finding: $(cat out)"

# The same process in both captures stays one process.
"$SYSCAP" cat -o same.syscap one.syscap one.syscap 2>note
[ ! -s note ] || fail "$(cat note)"
