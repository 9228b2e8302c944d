#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_outlived.sh - a process that outlives its recorder loses its timers,
# after the recorder's kill or its command's end. The process may have found the
# recorder by its socket, its name, or too late.
set -eu
: "${SYSCAP:?}"

[ -z "${SYSCAP_SANITIZE:-}" ] || {
	echo "skip: sanitized programs do not start with a library preloaded"
	exit 77
}
[ -r /proc/self/timers ] || {
	echo "skip: the kernel does not show timers"
	exit 77
}
dir=$(mktemp -d)
left=
cleanup() {
	for pid in $left; do
		kill -9 "$pid" 2>/dev/null || true
	done
	rm -rf "$dir"
}
trap cleanup EXIT

# until TEXT COMMAND... - COMMAND succeeds within some minutes
until_it() {
	said=$1
	shift
	for _ in $(seq 3000); do
		if "$@"; then
			return 0
		fi
		sleep 0.1
	done
	echo "FAIL: $said"
	exit 1
}
is_there() { [ -s "$1" ]; }
is_timed() { [ -n "$(cat "/proc/$1/timers" 2>/dev/null)" ]; }
is_untimed() { ! is_timed "$1"; }

# outlive NAME KILL COMMAND... - COMMAND writes its pid to $dir/NAME and sleeps
outlive() {
	name=$1 how=$2
	shift 2
	"$SYSCAP" record -q -o "$dir/$name.syscap" --sample=1000,wall -- \
		"$@" </dev/null >/dev/null 2>&1 &
	recorder=$!
	until_it "$name: it began" is_there "$dir/$name"
	pid=$(cat "$dir/$name")
	left="$left $pid"
	if [ "$how" = kill ]; then
		until_it "$name: it is timed" is_timed "$pid"
		kill -9 $recorder
	fi
	wait $recorder || true
	# another recorder removes the killed recorder's socket file
	[ "$how" != kill ] || "$SYSCAP" record -q -o "$dir/next.syscap" -- true
	until_it "$name: it is timed no more" is_untimed "$pid"
	kill -0 "$pid" || {
		echo "FAIL: $name: it did not live on"
		exit 1
	}
	echo "$name: timed no more"
}

cd "$dir"
outlive killed kill sh -c 'echo $$ >killed; exec sleep 1000'
outlive ended end sh -c 'sleep 1000 & echo $! >ended; sleep 0.3'
outlive late kill sh -c 'echo $$ >late; while kill -0 $PPID; do sleep 0.01
	done; exec sleep 1000'
! command -v python3 >/dev/null ||
	outlive named kill python3 -c 'import subprocess
p = subprocess.Popen(["sleep", "1000"])
open("named", "w").write(str(p.pid))
p.wait()'
