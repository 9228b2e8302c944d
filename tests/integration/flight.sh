#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# flight.sh [whole] - flight mode.  A capture or a snapshot has the last events of
# each thread without a gap, with their names and counters.  Marks make no system
# call after the first lap.  SIGKILL, fork, siglongjmp() out of the code that gives
# up frames, and short threads leave whole captures.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
program=
trap 'kill -9 $program 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
n=100000 snapshots=4 own=2 kills=2 seconds=1
[ "${1:-}" != whole ] ||
	n=12500000 snapshots=200 own=50 kills=100 seconds=60
export SYSCAP_MODE=flight SYSCAP_OUTPUT=o.syscap

fail() {
	echo "$*"
	exit 1
}

run() {
	rm -f o.syscap*
	"$SYSCAP_TEST_BIN/flight" "$@" >said || fail "flight $*: $?"
}

# begin WORD DEED...: start the program, and wait until it prints WORD
begin() {
	word=$1
	shift
	rm -f o.syscap*
	: >said
	"$SYSCAP_TEST_BIN/flight" "$@" >said &
	program=$!
	until grep -q "$word" said; do
		kill -0 $program || fail "flight $*: the program ended"
		sleep 0.02
	done
}

finish() {
	kill -9 $program
	wait $program 2>/dev/null || true
	program=
}

# check CAPTURE THREADS LAST [jumps]: at least THREADS threads.  The numbers of
# each have no gap and, unless LAST is -, end with LAST.  After jumps, numbers
# may be missing.  Each stack has a name, and each counter is defined.
check() {
	"$SYSCAP" check "$1" >checked 2>&1 || fail "$1: $(cat checked)"
	"$SYSCAP" export --format csv --table marks "$1" >marks
	tr -d '"' <marks | awk -F, -v threads="$2" -v last="$3" \
		-v jumps="${4:-}" '
	$5 != "flight" { next }
	{
		thread = $3 "/" $4
		n = $7 + 0
		follows = n == at[thread] + 1 ||
			(jumps != "" && n > at[thread])
		if ((thread in count) && !follows) {
			print thread ": " n " follows " at[thread]
			bad = 1
			exit 1
		}
		at[thread] = n
		count[thread]++
	}
	END {
		if (bad)
			exit 1
		for (thread in at) {
			n_threads++
			n_events += at[thread]
			if (last != "-" && at[thread] != last) {
				print thread ": the last is " at[thread]
				exit 1
			}
			if (count[thread] < 100 && last != "-") {
				print thread ": only " count[thread]
				exit 1
			}
		}
		if (n_threads < threads) {
			print n_threads + 0 " threads"
			exit 1
		}
		printf "%.0f\n", n_events >"n_events"
	}' || fail "$1 of $*"
	"$SYSCAP" dump "$1" >dump
	! grep -q 'lost: ' checked || [ -n "${4:-}" ] ||
		fail "$1: $(grep 'lost: ' checked)"
	grep '^[^ ]* sample' dump | grep -v 'named_' >unnamed || true
	[ ! -s unnamed ] || fail "$1: a stack without a name: $(head -1 unnamed)"
	"$SYSCAP" stat "$1" >stat
	! grep -q '^  *(unknown)\|undefined' stat || fail "$1: $(cat stat)"
}

# Each value of a counter follows the counter's definition.
check_definitions() {
	"$SYSCAP" dump --json "$1" | awk '
	/"type":"ctr(def|set)"/ {
		rest = $0
		while (match(rest, /"id":[0-9]+/)) {
			id = substr(rest, RSTART, RLENGTH)
			rest = substr(rest, RSTART + RLENGTH)
			if ($0 ~ /"type":"ctrdef"/)
				defined[id] = 1
			else if (!(id in defined) && !n++)
				print "no definition: " $0
		}
	}
	END { exit n != 0 }' || fail "$1: definitions"
}

run threads $n
check o.syscap 8 $n
[ "$(grep -c ' ctrdef ' dump)" = 8 ] || fail "counters: $(grep ctrdef dump)"
run start $n
check start.syscap 1 $n
run jumps $n
check o.syscap 1 - jumps
run short 5000
check o.syscap 17 5000
run fork $n
check o.syscap 1 $((2 * n))
[ "$(ls o.syscap* | wc -l)" = 2 ] || fail "fork: $(ls)"

# Snapshots while threads overwrite their rings
begin warm endless
i=0
while [ $i -lt $snapshots ]; do
	i=$((i + 1))
	rm -f s.syscap
	"$SYSCAP" snapshot -q -p $program -o s.syscap || fail "snapshot: $?"
	check s.syscap 7 -
done
finish
"$SYSCAP" recover -q o.syscap
check o.syscap 8 -
echo "$i snapshots while $(cat n_events) events were emitted"
[ "$(cat n_events)" -gt $((8 * n)) ] || fail "too few events"

# Snapshots by the program itself
rm -f [ab]*.syscap
run closing
run snapshots $own
for file in [ab]*.syscap; do
	check "$file" 7 -
done
[ "$(ls [ab]*.syscap | wc -l)" = $((2 * own)) ] || fail "$(ls)"
run results $n
for file in r-flight.syscap r-flight.syscap.* signal.syscap closed.syscap; do
	check "$file" 1 $n
done
check child.syscap 0 -
[ ! -e x.syscap ] || fail "a file is left after an error"

# Definitions leave their ring while it is copied
export SYSCAP_RING_KIB=4096
begin warm defines
unset SYSCAP_RING_KIB
i=0
while [ $i -lt 12 ]; do
	i=$((i + 1))
	rm -f s.syscap
	"$SYSCAP" snapshot -q -p $program -o s.syscap || fail "snapshot: $?"
	check s.syscap 1 -
	check_definitions s.syscap
done
finish

# A silent process: the snapshot is equal to what a kill leaves
begin done pause $n
"$SYSCAP" snapshot -q -p $program -o p.syscap
check p.syscap 1 $n
"$SYSCAP" export --format csv --table marks p.syscap >marks_before
finish
"$SYSCAP" recover -q o.syscap
check o.syscap 1 $n
cmp -s marks marks_before || fail "the snapshot differs from the recovery"
! "$SYSCAP" snapshot -p $$ -o x.syscap 2>/dev/null || fail "no flight mode"
[ ! -e x.syscap ] || fail "a file is left"

# An unknown mode is reported
rm -f o.syscap*
SYSCAP_MODE=fligth SYSCAP_DEBUG=1 "$SYSCAP_TEST_BIN/flight" one 10 2>said
grep -q 'SYSCAP_MODE: not flight' said || fail "unknown mode: $(cat said)"

# Kills at any time
i=0
while [ $i -lt $kills ]; do
	i=$((i + 1))
	begin done endless
	sleep 0.0$((i % 10))
	finish
	# A kill may come before the first write
	[ -s o.syscap ] || continue
	"$SYSCAP" recover -q o.syscap
	check o.syscap 0 -
done

# No system call and no sleep after the first lap
run quiet $n $seconds
cat said
grep -q ' 0 sleeps' said || fail "the process slept: $(cat said)"
if strace -o trace true 2>/dev/null; then
	rm -f o.syscap*
	# LeakSanitizer does not run under strace
	ASAN_OPTIONS=detect_leaks=0 \
		strace -f -o trace "$SYSCAP_TEST_BIN/flight" quiet $n \
		$seconds >said
	sed -n '/flight-begin/,/flight-end/p' trace >calls
	[ "$(wc -l <calls)" = 2 ] || fail "system calls: $(cat calls)"
else
	echo "skip: system calls: strace does not run here"
fi
