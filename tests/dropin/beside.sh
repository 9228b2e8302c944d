#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# beside.sh PROGRAM PLUGIN - one descriptor, two libraries in one process: the
# program writes by its own library, independent of syscap in the plugin.  Each
# mark is in the capture once, except marks that the other library removed when
# it began later, which is reported.
#
# Reads SYSCAP (the command).
set -eu
program=$1
plugin=$2
[ -x "$program" ] || {
	echo "skip: there is no libsysprof-capture-4 to be beside of"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset SYSPROF_CONTROL_FD SYSCAP_OUTPUT
command -v "$SYSCAP" >/dev/null || {
	echo "skip: there is no command"
	exit 77
}

status=0
# expect NAME GROUP LEAST MOST
expect() {
	n=$("$SYSCAP" dump --json --type mark "$1" |
		grep -c "\"group\":\"$2\"" || true)
	if [ "$n" -lt "$3" ] || [ "$n" -gt "$4" ]; then
		echo "$1: $n marks of $2, not $3 to $4"
		status=1
	fi
}
for when in first last; do
	# The thread writes the 50 earlier marks
	thread=
	[ $when = first ] || thread=1
	SYSCAP_THREAD=$thread SYSPROF_TRACE_FD=7 "$program" "$plugin" $when \
		7<>$when.syscap
	"$SYSCAP" check $when.syscap >check || { cat check; status=1; }
	expect $when.syscap theirs 600 600
done
expect first.syscap ours 500 500
# At least the first of 50 earlier marks was written and then removed
expect last.syscap ours 500 549
"$SYSCAP" dump --json --type metadata last.syscap |
	grep -q '"syscap.emptied"' || { echo "nothing is told"; status=1; }
exit $status
