#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_gone_child.sh - a forked child that begins and ends while the recorder
# is stopped has names, as it runs its parent's program.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

for how in exit kill exec orphan late; do
	set -- "$SYSCAP_TEST_BIN/record_gone_child" $how
	if [ $how = late ]; then
		set -- sh -c 'kill -STOP $PPID; "$@"; kill -CONT $PPID' sh "$@"
	fi
	"$SYSCAP" record -q --sample=1000 --no-symbols -o $how.syscap -- "$@"
	"$SYSCAP" check $how.syscap
	"$SYSCAP" stat --json --tree $how.syscap >tree
	grep -q '"work_in_the_parent"' tree || {
		echo "FAIL: $how: not even the parent has names"
		exit 1
	}
	grep -q '"work_in_the_child"' tree || {
		echo "FAIL: $how: the child has no names"
		exit 1
	}
	"$SYSCAP" symbolize -q -o named.syscap $how.syscap
	"$SYSCAP" stat --json --tree --no-lookup named.syscap >tree
	grep -q '"work_in_the_child"' tree || {
		echo "FAIL: $how: symbolize finds no names for the child"
		exit 1
	}
done
