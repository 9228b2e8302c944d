#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_bus.sh - `syscap record --bus-name` has the events of a program that
# runs already, with and without a command, again and again.  A message names a
# program that is not there, refuses, is silent or ends.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}" "${SYSCAP_SOURCE:?}"
if [ "${1:-}" != inside ]; then
	for program in dbus-run-session dbus-daemon /usr/bin/python3; do
		command -v $program >/dev/null || {
			echo "skip: there is no $program"
			exit 77
		}
	done
	/usr/bin/python3 -c 'from gi.repository import Gio' 2>/dev/null || {
		echo "skip: /usr/bin/python3 has no gi (Debian: python3-gi)"
		exit 77
	}
	exec dbus-run-session -- sh "$0" inside
fi
dir=$(mktemp -d)
program=
trap 'kill $program 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"

fail() {
	echo "$*"
	cat err 2>/dev/null || true
	exit 1
}

# serve [MODE] - a new program on the bus
serve() {
	[ -z "$program" ] || kill $program 2>/dev/null || true
	[ -z "$program" ] || wait $program 2>/dev/null || true
	: >said
	/usr/bin/python3 "$SYSCAP_SOURCE/tests/integration/bus_program.py" \
		"$SYSCAP_SOURCE/src/org.gnome.Sysprof3.Profiler.xml" \
		own.syscap "$@" >said 2>&1 &
	program=$!
	until grep -q ready said; do
		kill -0 $program || fail "the program ended: $(cat said)"
		sleep 0.05
	done
}

# record STATUS ARGUMENT...
record() {
	wanted=$1 status=0
	shift
	rm -f b.syscap*
	"$SYSCAP" record -o b.syscap "$@" >out 2>err || status=$?
	[ $status = "$wanted" ] || fail "record $*: $status"
	[ ! -e b.syscap ] || "$SYSCAP" check b.syscap >checked ||
		fail "record $*: $(cat checked)"
}

marks() {
	"$SYSCAP" export --format csv --table marks b.syscap | grep -c "\"bus\",\"$1\"" ||
		true
}

"$SYSCAP" record -q -o own.syscap -- "$SYSCAP_TEST_BIN/record_bus" own
serve
name=org.example.Recorded
for again in 1 2; do
	record 0 --bus-name=$name --duration=200ms
	[ "$(marks own)" = 3 ] || fail "without command: $(marks own) marks"
	grep -q 'still recording' err && fail "the program no longer records"
done
[ "$(grep -c stopped said)" = 2 ] || fail "not stopped: $(cat said)"
record 0 --bus-name=$name,/org/gnome/Sysprof3/Profiler -- \
	"$SYSCAP_TEST_BIN/record_bus" command
[ "$(marks own) $(marks command)" = "3 3" ] || fail "with a command"
"$SYSCAP" stat b.syscap | grep -q bus_program.py || fail "no process"
record 7 --bus-name=$name -- sh -c 'exit 7'
[ "$(marks own)" = 3 ] || fail "with a command that fails"

# Ctrl-C ends a recording without command
rm -f b.syscap*
"$SYSCAP" record -o b.syscap --bus-name=$name >out 2>err &
recorder=$!
until [ -e b.syscap ] && "$SYSCAP" dump b.syscap 2>/dev/null |
	grep -q bus_program.py; do
	kill -0 $recorder || fail "the recorder ended"
	sleep 0.1
done
kill -TERM $recorder
wait $recorder || fail "ended by a signal: $?"
[ "$(marks own)" = 3 ] || fail "ended by a signal"

record 125 --bus-name=org.example.Nobody --duration=1s
grep -q 'org.example.Nobody: the program does not begin' err || fail "nobody"
record 0 --bus-name=org.example.Nobody -- true
grep -q 'org.example.Nobody: the program does not begin' err || fail "nobody"
record 125 --bus-name=$name,/elsewhere --duration=1s
record 2 --bus-name=nodots --duration=1s
record 2 --bus-name=$name,object --duration=1s
record 2 --bus-name=$name --duration=1s -- true
record 2 --duration=1s
record 2 --bus-name=$name --sample --duration=1s
grep -q 'sample needs a COMMAND' err || fail "sample without a command"
record 2 --bus-name=$name -o -
serve refuse
record 125 --bus-name=$name --duration=1s
grep -q 'records already' err || fail "refused"
grep -q "busctl --user call $name /org/gnome/Sysprof3/Profiler" err ||
	fail "no remedy"
serve silent
record 0 --bus-name=$name --duration=200ms
grep -q "$name wrote no capture" err || fail "silent"
serve vanish
record 0 --bus-name=$name --duration=1s
grep -q 'does not end its recording' err || fail "vanished"
[ "$(marks own)" = 3 ] || fail "vanished: $(marks own) marks"
