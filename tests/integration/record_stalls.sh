#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_stalls.sh - `syscap record --stalls` finds a loop's slow iteration,
# with stacks from that iteration, and interrupts no call.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
program=$SYSCAP_TEST_BIN/record_stalls

fail() {
	echo "$*"
	exit 1
}

# has_stall CAPTURE FUNCTION - CAPTURE has a stall with stacks in FUNCTION,
# without frames of syscap
has_stall() {
	"$SYSCAP" check "$1" >/dev/null
	"$SYSCAP" stat --mark loop/stall --of stalled --all "$1" >seen
	grep -q "^ *[0-9.]* m*s .* loop  *stall  *[1-9][0-9]* stack" seen ||
		grep -q ' loop  *stall ' seen || fail "$2: no stall: $(cat seen)"
	grep -q " $2[. ]" seen || fail "no stack of $2: $(cat seen)"
	"$SYSCAP" stat --of stalled --functions 1000 "$1" |
		sed -n '/^Hot functions/,/^$/p' >seen
	! grep libsyscap- seen || fail "syscap's frames are in stacks of stalls"
}

for kind in poll ppoll select pselect epoll_wait epoll_pwait epoll_pwait2; do
	"$SYSCAP" record -q --stalls -o loop.syscap -- "$program" $kind ||
		fail "$kind: $?"
	has_stall loop.syscap stand_still
	rm loop.syscap*
done

# A loop that always has work never waits
"$SYSCAP" record -q --stalls -o loop.syscap -- "$program" busy || fail "busy: $?"
has_stall loop.syscap stand_still
rm loop.syscap*

# Waits with a mask, of a thread that blocks signals otherwise.  By the default
# clock, work with blocked signals is shown as such.
for option in --sample=1000 "--sample=1000 --io" --sample=1000,wall --stalls; do
	pids=
	for kind in ppoll pselect epoll_pwait epoll_pwait2; do
		# shellcheck disable=SC2086 # two options
		"$SYSCAP" record -q $option -o $kind.syscap -- \
			"$program" $kind masked &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || fail "masked, $option: $?"
	done
	for kind in ppoll pselect epoll_pwait epoll_pwait2; do
		# shellcheck disable=SC2086 # two options
		"$SYSCAP" record -q --force $option -o many.syscap -- \
			"$program" $kind many || fail "$kind many, $option: $?"
		rm many.syscap*
	done
	for kind in ppoll pselect epoll_pwait epoll_pwait2; do
		[ "$option" != --stalls ] || continue
		"$SYSCAP" stat --functions 1000 $kind.syscap |
			sed -n '/^Hot functions/,/^$/p' >seen
		# With --io a wrapper of syscap is among the callers
		awk '/ libsyscap-/ && $3 >= 1 { print; n++ } END { exit n }' \
			seen || fail "$option: $kind: time in syscap's code"
		awk '/ signals blocked / { print $1 + 0 }' seen >blocked
		awk '/ pthread_sigmask / { print $1 + 0 }' seen >unblocking
		case $(uname -m) in
		x86_64)
			[ "$(cat blocked)" -gt "$(cat unblocking)" ] ||
				fail "$option: $kind: $(cat seen)"
			;;
		esac
	done
	[ "$option" = --stalls ] || rm ./*.syscap*
done
for kind in ppoll pselect epoll_pwait epoll_pwait2; do
	has_stall $kind.syscap wait_deeper
done
rm ./*.syscap*

# With samples by the same signal, and other collectors
"$SYSCAP" record -q --stalls --sample --io -o loop.syscap -- \
	"$program" poll || fail "all: $?"
has_stall loop.syscap stand_still
rm loop.syscap*

# meet CAPTURE - ends the waiting processes when CAPTURE has their code
meet() {
	while [ -d meet ]; do
		"$SYSCAP" dump --type map "$1" >maps || :
		for pid in $(ls meet); do
			if grep -q " pid $pid " maps; then
				rm "meet/$pid"
			fi
		done
		sleep 0.1
	done
}

# A wait or a sleep in an iteration is part of it
mkdir meet
meet odd.syscap 2>/dev/null &
STALLS_MEET=meet "$SYSCAP" record -q --stalls -o odd.syscap -- "$program" odd ||
	fail "odd: $?"
rmdir meet
wait
has_stall odd.syscap ask_and_wait
has_stall odd.syscap sleep_in_between
has_stall odd.syscap stand_still
has_stall odd.syscap stand_in_child
rm odd.syscap*

# syscap replaces waits that ticks may cut by other calls
"$SYSCAP" record -q --stalls --sample=1000,wall -o cut.syscap -- "$program" sleeps ||
	fail "sleeps: $?"
has_stall cut.syscap sleep_in_between
"$SYSCAP" export --format=folded --function='^sleep_in_between' cut.syscap >seen
grep -q "sleep_in_between.*;nanosleep[; ]" seen ||
	fail "no sleep is recorded: $(cat seen)"
# Other waits than sleeps may be in syscap's functions at any time
if grep -E "sleep_in_between.*;(ppoll|syc_whole|syc_seams)" seen; then
	fail "a sleep is recorded as the replacing call"
fi
rm cut.syscap*

# The possible signals of the sampler
for signal in first second; do
	"$SYSCAP" record -q --stalls -o loop.syscap -- "$program" poll $signal ||
		fail "signal $signal: $?"
	rm loop.syscap*
done

for value in 0 x 999us 3601s 50ms,al ''; do
	status=0
	"$SYSCAP" record -o bad.syscap "--stalls=$value" -- true 2>err ||
		status=$?
	[ $status = 2 ] || fail "--stalls=$value: $status"
	grep -q -- "--stalls: '$value' is not a time" err
done
