#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record/counters.sh - recorded kernel counters equal /proc, which this test
# reads before and after; the reference's reader and `stat` show the counters.
set -eu
: "${SYSCAP:?names the binary to test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
	echo "$*"
	exit 1
}

# now FILE - cumulative counters into FILE, one line "category|name value" each
now() {
	{
		awk '$1 == "ctxt" { print "Scheduler|Context Switches", $2 }
			$1 == "processes" { print "Scheduler|Forks", $2 }' /proc/stat
		awk -F'[: ]+' 'NR > 2 { sub(/^ +/, ""); $0 = $0
			rx += $2; tx += $10
			print "Network|RX Bytes (" $1 ")", $2 }
			END { # print has six digits above 2^31
			printf "Network|RX Bytes %.0f\n", rx
			printf "Network|TX Bytes %.0f\n", tx }' /proc/net/dev
		while read -r _ _ name _ _ sectors _ _ _ written _; do
			[ -e "/sys/block/$name" ] || continue
			echo "Disk Bytes|Read ($name) $((sectors * 512))"
			echo "Disk Bytes|Written ($name) $((written * 512))"
		done </proc/diskstats
	} >"$1"
}

# values CAPTURE CATEGORY NAME - prints all values, in order
values() {
	id=$("$SYSCAP" dump --type=ctrdef "$1" | tr '[' '\n' |
		grep -F " category \"$2\" name \"$3\" " | cut -d' ' -f1)
	[ -n "$id" ] || return 0
	"$SYSCAP" dump --type=ctrset "$1" | tr ' ' '\n' | sed -n "s/^$id=//p"
}

now before
# The first values are taken after the command's start
"$SYSCAP" record -q --counters=hz=50 -o all.syscap -- sh -c '
	until "$0" dump --type=ctrset all.syscap 2>err | grep -q .; do
		sleep 0.05
	done
	i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i + 1)); done; sleep 0.2' "$SYSCAP"
now after
"$SYSCAP" check all.syscap
n=0
while read -r line; do
	value=${line##* }
	name=${line% *}
	values all.syscap "${name%%|*}" "${name#*|}" >all
	[ -s all ] || continue # an idle counter
	[ "$(head -n 1 all)" -ge "$value" ] || fail "$name was $value before"
	value=$(sed -n "s/^$name \([0-9]*\)$/\1/p" after)
	[ "$(tail -n 1 all)" -le "$value" ] || fail "$name was $value after"
	sort -n -c all || fail "$name went back"
	n=$((n + 1))
done <before
[ $n -ge 4 ] || fail "$n counters were checked"

# The hundred forks are counted
values all.syscap Scheduler Forks >all
[ $(($(tail -n 1 all) - $(head -n 1 all))) -ge 90 ] || fail "who forked?"

# Other values are within their limits
total=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)
values all.syscap Memory Used >all
awk -v most="$((total * 1024))" '$1 <= 0 || $1 > most { exit 1 }' all ||
	fail "memory: $(cat all)"
values all.syscap "CPU Percent" Combined >all
awk '$1 < 0 || $1 > 100 { exit 1 }' all || fail "percent: $(cat all)"
values all.syscap Process Threads >all
grep -qx 1 all || fail "a shell has one thread: $(cat all)"

# The sum of operations equals the difference of first and last
for what in Reads Writes; do
	values all.syscap Disk "Total $what (Combined)" >all
	awk '$1 < 0 { exit 1 }' all || fail "disk: $(cat all)"
done

# Files that describe the machine are embedded; constant ones equal byte by byte
for file in /proc/cpuinfo /proc/mounts; do
	"$SYSCAP" files all.syscap | grep -q " $file\$" || fail "no $file"
done
if [ -n "${REF_COUNT:-}" ]; then
	"$REF_COUNT" all.syscap >counted
	grep -q '^ctrset' counted || fail "the reference's reader has no counters"
	"$REF_FILE" all.syscap /proc/mounts >got
	cmp got /proc/mounts
	"$REF_FILE" all.syscap /proc/cpuinfo | grep -q '^processor'
fi
"$SYSCAP" stat --all all.syscap | grep -q 'CPU Percent *Combined' ||
	fail "stat shows none"
"$SYSCAP" dump --type=metadata all.syscap |
	grep -q '"cpu,memory,disk,net,energy,battery,sched,psi,hz=50"' ||
	fail "the capture does not have the requested groups"

# With a single group, the capture contains only counters of this group
"$SYSCAP" record -q --counters=net -o net.syscap -- true
"$SYSCAP" dump --type=ctrdef net.syscap | tr '[' '\n' |
	grep 'category' >all
! grep -qv 'category "Network"' all || fail "not only net: $(cat all)"

# Ids differ from the ids of programs' counters
if [ -x "${SYSCAP_TEST_BIN:-}/thread_names" ]; then
	"$SYSCAP" record -q --counters -o both.syscap -- \
		"$SYSCAP_TEST_BIN/thread_names" "$PWD/both.syscap"
	"$SYSCAP" check both.syscap
fi

# Without the option there are no counters
"$SYSCAP" record -q -o none.syscap -- true
[ -z "$("$SYSCAP" dump --type=ctrset none.syscap)" ] || fail "none asked for"
[ -z "$("$SYSCAP" files none.syscap)" ] || fail "files of groups that were not requested"

# Invalid options are refused
for value in foo cpu,foo hz=0 hz=101 hz= hz=1x '' cpu,; do
	status=0
	"$SYSCAP" record -o bad.syscap "--counters=$value" -- true 2>err ||
		status=$?
	[ $status = 2 ] || fail "--counters=$value: $status"
	grep -q "^syscap record: --counters: '.*' is unknown; expected cpu, memory, " err
	[ ! -e bad.syscap ]
done
