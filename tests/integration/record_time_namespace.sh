#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_time_namespace.sh - events of a process in another time namespace, and
# its losses, have the recorder's times, also if the process has ended before the
# recorder looks.
set -eu
: "${SYSCAP:?names the binary to test}" "${SYSCAP_TEST_BIN:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

unshare --time --monotonic 1000000 --fork true 2>/dev/null || {
	echo "skip: no time namespace can be made"
	exit 77
}
: >"$work/go"
for run in "1000000 seen" "-1000 seen" "1000000 ended"; do
	ahead=${run% *}
	# Before the machine was started there is no time
	if [ "$ahead" -lt 0 ] &&
		[ "$(cut -d. -f1 /proc/uptime)" -lt 1100 ]; then
		continue
	fi
	set -- sh -c '"$@"' sh
	[ "${run#* }" = seen ] ||
		set -- sh -c 'kill -STOP $PPID; "$@"; kill -CONT $PPID' sh
	"$SYSCAP" record -qo "$work/x" --force -- "$@" \
		unshare --time --monotonic "$ahead" --fork \
		"$SYSCAP_TEST_BIN/many_threads" "$work/ready" "$work/go" 300 \
		>"$work/sent"
	"$SYSCAP" check "$work/x" >/dev/null
	"$SYSCAP" dump "$work/x" >"$work/all"
	n=$(grep -c '"sent"' "$work/all")
	read -r sent _ <"$work/sent"
	awk -v run="$run" -v n="$n" -v sent="$sent" '
	/"sent"/ && ($1 < 0 || $1 > 600) { late++ }
	END {
		if (late != 0 || n == 0 || n > sent) {
			print run ":", late + 0, "of", n, "at other times;", sent, "sent"
			exit 1
		}
	}' "$work/all"
done
