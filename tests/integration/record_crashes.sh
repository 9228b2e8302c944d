#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_crashes.sh [whole] - after a crash the capture has all events, the
# reason and the stack.  The process has the same status as without syscap.
# Each way of crashing is recorded by `syscap record --crashes` and by the
# program itself.  The core files have the same signal, address and functions as
# without syscap.  Their comparison needs gdb, and a kernel that writes core files
# into the directory.  The test of a process that the kernel ends for its memory
# needs a cgroup.  "whole" repeats all tests, and expects 1,000 crashes.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
cd "$dir"
ulimit -S -c 0
cp "$SYSCAP_TEST_BIN/record_crashes" crashes
rounds=1 crashes=0
[ "${1:-}" != whole ] || rounds=27
trap 'rm -rf "$dir"; [ ! -d "$group" ] || rmdir "$group"' EXIT
group=/sys/fs/cgroup/memory/syscap-crashes-$$

fail() {
	echo "$way: $*"
	exit 1
}

# expect CAPTURE: the events of a crash in the way $way
expect() {
	"$SYSCAP" check "$1" >checked || fail "$(cat checked)"
	"$SYSCAP" dump "$1" >dump
	found=$(grep -c '"syscap.crash"' dump || :)
	# The process may end before the second thread crashes
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

count() {
	[ $status -lt 128 ] && [ $n = 0 ] || crashes=$((crashes + 1))
}

# crash WAY SIGNAL REASON FUNCTION [N]: recorded in two ways
crash() {
	record "$@"
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
	count
}

# record WAY SIGNAL REASON FUNCTION [N [call]]: recorded by the command
record() {
	way=$1 signal=$2 reason=$3 function=$4 n=${5:-1}
	status=0
	[ $way = in_turn ] || [ $way = exit ] || ./crashes "$way" 2>/dev/null || status=$?
	case $way in
	event | in_turn | exit) status=139 ;; # only a recorded program crashes
	esac
	for _ in 1 2 3 4 5; do
		got=0
		"$SYSCAP" record -q --force --crashes -o recorded.syscap -- \
			./crashes "$way" ${6:+"$6"} 2>err || got=$?
		[ $got = $status ] || fail "status $got, not $status: $(cat err)"
		# On a busy machine the recorder may not run for half a second.
		# Then a full ring has no room for the crash
		case $way in
		busy | in_turn) ;;
		*) break ;;
		esac
		"$SYSCAP" dump recorded.syscap >dump
		[ "$(grep -c '"syscap.crash"' dump)" != $n ] || break
	done
	expect recorded.syscap
	count
}

# describe COMMAND...: the core file of the command
describe() {
	rm -f core core.*
	(ulimit -S -c unlimited && exec "$@") >/dev/null 2>&1 || :
	set -- core*
	[ -s "$1" ] || { echo "no core file"; return; }
	gdb -nx -batch -ex 'p $_siginfo.si_signo' -ex 'p $_siginfo.si_code' \
		-ex 'p $_siginfo._sifields._sigfault.si_addr' -ex 'bt 4' \
		./crashes "$1" 2>/dev/null |
		sed -n 's/^\(Program terminated.*\|\$[12] .*\)/\1/p
			s/^\$3 = .*\(0x10\|<.*>\)$/\1/p
			s/^#[0-9]* *\(0x[0-9a-f]* in\)\{0,1\} *\([^ ]*\) .*/\2/p'
	rm -f "$1"
}

# core WAY: the core file is the same
core() {
	way=$1
	describe ./crashes "$way" >plain
	grep -q '^Program terminated with' plain || fail "$(cat plain)"
	describe "$SYSCAP" record -q --force --crashes -o recorded.syscap -- \
		./crashes "$way" >recorded
	cmp -s plain recorded || fail "another core: $(diff plain recorded)"
}

has_cores() {
	command -v gdb >/dev/null && [ "$(cat /proc/sys/kernel/core_pattern)" = core ] &&
		(ulimit -S -c unlimited) 2>/dev/null
}

# exhaust: the kernel ends the process, which has no memory in its cgroup
exhaust() {
	way=memory n=0
	for own in '' call; do
		rm -f own.*
		if [ -z "$own" ]; then
			set -- "$SYSCAP" record -q --force --crashes -o own.syscap --
		else
			set -- env SYSCAP_OUTPUT=own.syscap
		fi
		got=0
		# shellcheck disable=SC2016 # by the other shell
		"$@" sh -c 'echo $$ >"$0/cgroup.procs" && exec ./crashes memory $1' \
			"$group" "$own" 2>err || got=$?
		[ $got = 137 ] || fail "status $got: $(cat err)"
		[ -z "$own" ] || "$SYSCAP" recover own.syscap >recovered ||
			fail "$(cat recovered)"
		expect own.syscap
		crashes=$((crashes + 1))
	done
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

# survive: the first process of a pid namespace ignores SIGABRT.  The exit then
# waits for no crash.  On a busy machine another attempt may be faster
survive() {
	way=first
	for _ in 1 2 3 4 5; do
		got=0
		began=$(date +%s%N)
		"$SYSCAP" record -q --force --crashes -o recorded.syscap -- \
			unshare -pf ./crashes first 2>err || got=$?
		[ $got = 7 ] || fail "status $got, not 7: $(cat err)"
		[ $(($(date +%s%N) - began)) -ge 1900000000 ] || return 0
	done
	fail "the exit of the first process waits"
}

if has_cores; then
	ways='segv abort'
	[ $rounds = 1 ] || ways="$ways kill overflow heap division instruction
		file handler"
	for way in $ways; do
		core "$way"
	done
else
	echo "note: cores are not compared: no gdb, or cores are not kept here"
fi
has_group=no
if mkdir "$group" 2>/dev/null &&
	echo 64M 2>/dev/null >"$group/memory.limit_in_bytes"; then
	has_group=yes
else
	echo "note: no process without memory: there is no writable cgroup"
fi
# In flight mode, too
way=flight signal=SIGSEGV reason=' at address 0x10' function=crash_here n=1
SYSCAP_MODE=flight SYSCAP_OUTPUT=own.syscap ./crashes segv call 2>err || :
"$SYSCAP" recover own.syscap >recovered || fail "$(cat recovered)"
"$SYSCAP" symbolize own.syscap >/dev/null
expect own.syscap
grep -q ' "syscap.mode" text "flight"' dump || fail "flight mode is not stated"
end strict
end queue_refused
end action_refused 137 # by SIGKILL
end queue_kills
end reset_in_filter
if unshare -pf true 2>/dev/null; then
	survive
else
	echo "note: no process survives a crash: there is no pid namespace"
fi
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
	crash exit SIGSEGV ' at address 0x10' crash_here # status of exit(): 7
	crash busy SIGSEGV ', sent by process' emit_for_ever
	crash child SIGSEGV ' at address 0x10' crash_in_child
	crash ignored SIGSEGV '' '' 0
	crash killed SIGKILL '' '' 0
	crash runtime SIGSEGV ' at address 0x10' crash_here
	[ $has_group = no ] || exhaust
	# Only the command's library hides its action from the program
	record copied SIGABRT ', sent by process' raise
	record found SIGSEGV ' at address 0x10' crash_here
	record passed SIGSEGV '' '' 0
	record reset SIGSEGV ' at address 0x10' crash_here
	record raised SIGSEGV ', sent by process' crash_here
	record flipped SIGSEGV ' at address 0x10' crash_here
	record segv SIGSEGV ' at address 0x10' crash_here 1 call
	record in_turn SIGSEGV ' at address 0x10' crash_ 2
	[ "$found" = 2 ] || fail "the second thread's crash is lost"
	rounds=$((rounds - 1))
done
echo "$crashes crashes"
[ "${1:-}" != whole ] || [ $crashes -ge 1000 ] || fail "too few"
