#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_pid.sh [whole] - `syscap record --pid` records a process that runs, and
# `syscap ps` lists the process.  The process has many threads, is silent, ends,
# calls exec, or is killed, and the recorder is killed.  Each event between the
# first and the last recorded one is in the capture, or counted as lost there.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
program=
trap 'exec 3>&-; kill -9 $program 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
cycles=4 kills=2
[ "${1:-}" != whole ] || cycles=1000 kills=200

fail() {
	echo "$*"
	cat err said 2>/dev/null || true
	exit 1
}

skip() {
	echo "skip: $*"
	exit 77
}

# wait_for COMMAND - until the command succeeds, while the program lives
wait_for() {
	until eval "$1"; do
		kill -0 $program 2>/dev/null || fail "the program ended: $1"
		sleep 0.02
	done
}

# begin [ARGUMENT] - a new program, ready for commands on fd 3
begin() {
	exec 3>&-
	[ -z "$program" ] || kill -9 $program 2>/dev/null || true
	[ -z "$program" ] || wait $program 2>/dev/null || true
	rm -f in
	mkfifo in
	: >said
	"$SYSCAP_TEST_BIN/record_pid" "$@" <in >said 2>&1 &
	program=$!
	exec 3>in
	n_done=1
	wait_for '[ "$(grep -c done said)" = 1 ]'
}

# run COMMAND - wait until the program has done it
run() {
	echo "$1" >&3
	n_done=$((n_done + 1))
	wait_for '[ "$(grep -c done said)" = $n_done ]'
}

# attach [OPTION]... - record the program until detach
attach() {
	rm -f p.syscap* err
	"$SYSCAP" record -o p.syscap -p $program "$@" >out 2>err 3>&- &
	recorder=$!
	wait_for 'grep -q "its next event" err 2>/dev/null || "$SYSCAP" ps 2>/dev/null |
		grep -q "^ *$program .* yes "'
}

detach() {
	kill -TERM $recorder
	wait $recorder || fail "the recorder: $?"
	check_capture p.syscap
	[ "$(ls p.syscap*)" = p.syscap ] || fail "left: $(ls p.syscap*)"
}

check_capture() {
	"$SYSCAP" check "$1" >checked || fail "$1: $(cat checked)"
}

marks() {
	"$SYSCAP" export --format csv --table marks p.syscap |
		grep -c "\"pid\",\"$1\"" || true
}

# exact FILE - the numbers of each thread's marks are in order, and no more are
# missing than were reported as lost
exact() {
	"$SYSCAP" stat --json "$1" >stat.json
	lost=$(sed 's/.*"lost":{"frames":\([0-9]*\),.*/\1/' stat.json)
	"$SYSCAP" export --format csv --table marks "$1" | tr -d '"' |
		awk -F , -v lost="${lost:-0}" '
		NR == 1 {
			for (i = 1; i <= NF; i++)
				column[$i] = i
			next
		}
		$column["name"] == "thread" {
			tid = $column["tid"]
			number = $column["duration_ns"] + 0
			if (tid in last && number <= last[tid])
				exit bad = 1
			if (tid in last)
				missing += number - last[tid] - 1
			last[tid] = number
			n++
		}
		END {
			print n + 0, "marks,", missing + 0, "missing,", lost, "lost"
			exit bad || missing > lost
		}' >exact || fail "$1: $(cat exact)"
}

begin
"$SYSCAP" ps >listed 2>&1
! grep -q "^ *$program " listed || fail "listed without SYSCAP_ATTACH"
status=0
"$SYSCAP" record -o p.syscap -p $program --duration=1s >out 2>err || status=$?
[ $status = 125 ] || fail "without SYSCAP_ATTACH: $status"
if grep -q ptrace_scope err; then
	skip "the kernel permits no access to other processes"
fi
grep -q 'start it with SYSCAP_ATTACH=1' err || fail "no advice"
begin allow
"$SYSCAP" ps | grep -q "^ *$program .* no .*record_pid allow" ||
	fail "not listed"

export SYSCAP_ATTACH=1
begin
# The tail of a burst is recorded, although the program falls silent
for again in 1 2 3; do
	attach
	run 'emit 500'
	detach
	[ "$(marks main)" = 500 ] || fail "burst $again: $(marks main)"
	grep -q 'frames of 1 process, 1 thread, 0 frames lost' err ||
		fail "the summary is wrong"
done
run 'emit 10'
attach
"$SYSCAP" record -o q.syscap -p $program --duration=1s >out 2>err.q &&
	fail "two recorders"
grep -q 'another recorder is waiting\|being recorded' err.q || fail "no reason"
detach
[ "$(marks main)" = 0 ] || fail "emitted while detached"
grep -q 'had no event' err || fail "no event"
ls "/proc/$program/task" | grep -c . >n_tasks
[ "$(cat n_tasks)" = 1 ] || fail "threads of the library"

# The program is recorded, but its children are not
attach
run 'emit 1'
run child
run 'emit 1'
detach
[ "$(marks main) $(marks child)" = "2 0" ] || fail "child"
# The program ends the recording, and the next one begins
attach
run 'emit 3'
run stop
run 'emit 3'
detach
[ "$(marks main)" = 3 ] || fail "syscap_stop(): $(marks main)"
# A recording of a command beside it
rm -f p.syscap
"$SYSCAP" record -q -o p.syscap -p $program -- sh -c \
	"echo 'emit 7' >$dir/in; sleep 0.3" >out 2>err
n_done=$((n_done + 1))
[ "$(marks main)" = 7 ] || fail "with a command: $(marks main)"
# exec keeps earlier events
attach
run 'emit 5'
run exec
run 'emit 2'
detach
[ "$(marks main)" = 5 ] || fail "exec: $(marks main)"
# So does the end
attach
run 'emit 6'
exec 3>&-
wait $program
detach
[ "$(marks main)" = 6 ] || fail "exit: $(marks main)"

begin
run begin
for i in $(seq $cycles); do
	rm -f p.syscap* err
	"$SYSCAP" record -q -p $program --duration=100ms -o p.syscap >out 2>err ||
		fail "cycle $i"
	check_capture p.syscap
	exact p.syscap
	[ "$(cut -d ' ' -f 1 exact)" -gt 0 ] || fail "cycle $i: $(cat exact)"
done
[ -z "$(find "${XDG_RUNTIME_DIR:-/dev/shm}" /dev/shm -maxdepth 2 \
	-name "syscap-$program-*" 2>/dev/null | tail -n +2)" ] ||
	fail "ring files are left"

for i in $(seq $kills); do
	rm -f p.syscap* err
	"$SYSCAP" record -q -p $program --duration=300ms -o p.syscap >out 2>err 3>&- &
	recorder=$!
	sleep 0.$(($(od -An -N1 -tu1 /dev/urandom) % 30 + 10))
	if [ $((i % 2)) = 0 ]; then
		kill -9 $program
		# On a busy machine, the program is killed first
		wait $recorder 2>/dev/null || grep -q 'does not exist' err ||
			fail "kill $i: $(cat err)"
		begin
		run begin
	else
		kill -9 $recorder 2>/dev/null || true
		wait $recorder 2>/dev/null || true
		wait_for '! "$SYSCAP" ps | grep -q "^ *$program .* yes "'
	fi
	for file in p.syscap*; do
		[ -e "$file" ] || continue
		"$SYSCAP" recover "$file" >recovered 2>&1 || true
		check_capture "$file"
		exact "$file"
	done
done

begin
run filter
if ! grep -q 'no filter' said; then
	"$SYSCAP" record -o w.syscap -p $program --duration=1s >out 2>err &&
		fail "a filter was not detected"
	grep -q 'seccomp filter' err || fail "no message about the filter"
fi

for wrong in "-p 0" "-p x" "-p 999999999 --duration=1s" "-p 1 --sample"; do
	# shellcheck disable=SC2086
	"$SYSCAP" record -o w.syscap $wrong >out 2>err && fail "$wrong"
done
"$SYSCAP" ps x >out 2>err && fail "ps x"
exit 0
