#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_crashes.sh [whole] - after a crash the capture has all events, the
# reason and the stack.  The process has the same status as without syscap.
# Each way of crashing is recorded by `syscap record --crashes` and by the
# program itself.  "whole" repeats all until there were 1,000 crashes.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
ulimit -c 0
cp "$SYSCAP_TEST_BIN/record_crashes" crashes
rounds=1
[ "${1:-}" != whole ] || rounds=36

fail() {
	echo "$way: $*"
	exit 1
}

# expect CAPTURE: the events of a crash in the way $way
expect() {
	"$SYSCAP" check "$1" >checked || fail "$(cat checked)"
	"$SYSCAP" dump "$1" >dump
	found=$(grep -c '"syscap.crash"' dump || :)
	# The second thread may not crash before the process ends
	[ "$found" = "$n" ] || { [ "$n" = 2 ] && [ "$found" = 1 ]; } ||
		fail "$1: $found messages: $(cat err)"
	[ "$(grep -c ' sample .*="crashed by ' dump || :)" = "$found" ] ||
		fail "$1: $found messages: $(grep ' sample ' dump)"
	[ "$(grep -c ' name "step" ' dump)" = 500 ] || fail "$1: lost marks"
	[ "$n" != 0 ] || return 0
	grep '"syscap.crash"' dump | grep -q "\"$signal$reason" ||
		fail "$1: $(grep '"syscap.crash"' dump)"
	grep '"crashed by '"$signal"'"' dump | grep -q "=\"$function" ||
		fail "$1: no stack with $function: $(grep ' sample ' dump)"
	"$SYSCAP" stat "$1" >stat
	grep -q "^  crashed    thread .*: $signal$reason" stat ||
		fail "$1: $(head -n 8 stat)"
}

# crash WAY SIGNAL REASON FUNCTION [N]
crash() {
	way=$1 signal=$2 reason=$3 function=$4 n=${5:-1}
	status=0
	./crashes "$way" 2>/dev/null || status=$?
	[ "$way" != event ] || status=139 # only a recorded event crashes
	got=0
	"$SYSCAP" record -q --force --crashes -o recorded.syscap -- \
		./crashes "$way" 2>err || got=$?
	[ $got = $status ] || fail "status $got, not $status: $(cat err)"
	expect recorded.syscap
	got=0
	rm -f own.*
	SYSCAP_OUTPUT=own.syscap ./crashes "$way" call 2>err || got=$?
	[ $got = $status ] || fail "status $got, not $status: $(cat err)"
	if [ $status -ge 128 ]; then
		"$SYSCAP" recover own.syscap >recovered ||
			fail "$(cat recovered)"
	fi
	"$SYSCAP" symbolize own.syscap >/dev/null
	expect own.syscap
}

# end WAY STATUS: the process ends, by the status without syscap or by STATUS
end() {
	way=$1
	status=0
	./crashes "$way" 2>/dev/null || status=$?
	got=0
	timeout 60 "$SYSCAP" record -q --force --crashes -o recorded.syscap \
		-- ./crashes "$way" 2>err || got=$?
	[ $got = $status ] || [ $got = "${2:-$status}" ] ||
		fail "status $got, not $status: $(cat err)"
	"$SYSCAP" check recorded.syscap >checked || fail "$(cat checked)"
}

end copied
end strict
end queue_refused
end action_refused 137 # by SIGKILL
while [ $rounds != 0 ]; do
	crash segv SIGSEGV ' at address 0x10: no memory is mapped' crash_here
	crash abort SIGABRT ', sent by process' crash
	crash raise SIGABRT ', sent by process' crash
	crash kill SIGBUS ', sent by process' crash
	crash overflow SIGSEGV ' at address 0x' overflow_stack
	crash heap SIGABRT ', sent by process' free
	crash division SIGFPE ' at address 0x.*: an integer was divided' crash
	crash instruction SIGILL ' at address 0x.*: the instruction' crash
	crash file SIGBUS ' at address 0x.*: the mapped file' read_past_file
	crash handler SIGSEGV ' at address 0x10' crash_in_handler
	crash threads SIGSEGV ' at address 0x10' crash_together 2
	crash event SIGSEGV ' at address 0x10' crash
	crash busy SIGSEGV ', sent by process' emit_for_ever
	crash child SIGSEGV ' at address 0x10' crash_in_child
	crash ignored SIGSEGV '' '' 0
	rounds=$((rounds - 1))
done
