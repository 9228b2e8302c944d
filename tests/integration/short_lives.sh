#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# short_lives.sh - the weights of samples equal each thread's processor time to
# within a period, and the process's to within 2 %.  The reference is the
# thread's own clock.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# A period is 1 ms.  A thread's end, and a program's start and end, take some
# time after the last reading of the thread's clock, on a busy machine much.  So
# the bound of a first and last thread is the process's time less the sum of all
# threads.
check() {
	"$SYSCAP" export -f csv --table samples --with-recording \
		-o samples.csv r.syscap
	awk -v way="$1" '
	FILENAME == "own" && NF == 3 && $1 == 0 { took = $3; next }
	FILENAME == "own" && NF == 3 { most[$1] = $3; next }
	FILENAME == "own" { own[$1] += $2; all += $2; ways[$1]++; next }
	/^time_ns,/ { n = split($0, names, ","); for (i = 1; i <= n; i++) at[names[i]] = i; next }
	{ split($0, cells, ","); got[cells[at["tid"]]] += cells[at["weight_ns"]] / 1000 }
	END {
		for (tid in most)
			if (most[tid] == 0)
				most[tid] = own[tid] + took - all
		for (tid in own) {
			off = got[tid] - own[tid]
			sum += got[tid]
			count++
			above = own[tid] + 600 * ways[tid]
			if (above < most[tid])
				above = most[tid]
			all_most += tid in most && most[tid] > own[tid] ? most[tid] : own[tid]
			if (off < -1000 || got[tid] > 1000 + above) {
				print way ": thread " tid " has " got[tid] + 0 " us of " own[tid]
				bad = 1
			}
		}
		off = sum - all
		# Each child has its own count
		if (way !~ /fork/ && (off < -1000 - all / 50 || sum > all_most + 1000 + all / 50 + 100 * count)) {
			print way ": " sum " us of " all
			bad = 1
		}
		exit bad
	}' own samples.csv || exit 1
}

for clock in cpu perf; do
	for way in threads crowd last destructors main_exit exec failing fork; do
		"$SYSCAP" record -q --force --no-symbols --sample=1000,$clock \
			-o r.syscap -- "$SYSCAP_TEST_BIN/short_lives" measured $way >own ||
			{ echo "$way, $clock: $?"; exit 1; }
		check "$way, $clock"
	done
done

# Each tick has its stack, also with ten failing execs between two ticks
"$SYSCAP" record -q --force -o r.syscap --sample=100 -- \
	"$SYSCAP_TEST_BIN/short_lives" failing >own
"$SYSCAP" export -f folded --with-recording -o - r.syscap >folded
awk '{ all += $NF } /;fail_late;/ { late += $NF }
	END { exit !(late > all / 4 && late < all * 3 / 4) }' folded ||
	{ echo "failing execs: fail_late has not about a half"; cat folded; exit 1; }

# A thread without a tick has its start function as stack
"$SYSCAP" record -q --force -o r.syscap --sample -- \
	"$SYSCAP_TEST_BIN/short_lives" threads >own
"$SYSCAP" export -f folded -o - r.syscap | grep -q 'live;no tick came ' ||
	{ echo "threads without a tick have no stack"; exit 1; }

# A child's first tick is due after 10 ms: so these children have no tick and no
# stack.  The program itself may have none, too.
"$SYSCAP" record --force --no-symbols -o r.syscap --sample -- \
	"$SYSCAP_TEST_BIN/short_lives" fork >own 2>summary
without=$("$SYSCAP" stat --json r.syscap |
	sed -n 's/.*"without_stack": *\([0-9]*\),.*/\1/p')
most=$(awk 'NF == 3 { most += $3 } END { print int(most / 1000) + 20 }' own)
{ [ "${without:-0}" -ge 20 ] && [ "$without" -le "$most" ]; } ||
	{ "$SYSCAP" stat r.syscap; echo "at most $most are right"; exit 1; }
"$SYSCAP" stat r.syscap | grep -q ' % of the time without a stack$' ||
	{ echo "stat: no time without a stack"; exit 1; }
grep -q "record: $without ms of processor time have no stack: " summary ||
	{ cat summary; exit 1; }
