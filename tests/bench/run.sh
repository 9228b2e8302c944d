#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh PROGRAM... - run the benchmarks one after another and print their rows
# as one table.  Exits 1 if a benchmark failed, or lost a frame.  A missed
# target is reported, but no failure, as the machine may be busy.
set -u

table=$(mktemp)
trap 'rm -f "$table"' EXIT
failed=0

fact() {
	printf '%-12s%s\n' "$1" "$2"
}
fact processor "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1) \
x $(nproc)"
fact kernel "$(uname -sr), clocksource $(cat \
	/sys/devices/system/clocksource/clocksource0/current_clocksource)"
fact load "$(cut -d ' ' -f 1-3 /proc/loadavg)"
fact built "${BENCH_BUILD:-?}"
fact reference "${BENCH_REFERENCE:-?}"
echo
printf '%-34s%9s%9s  %-20s%9s%9s %8s  %s\n' \
	'ns an event' median p99.9 'compared to' median p99.9 ratio target
for program; do
	"$program" >"$table.one" || {
		failed=1
		echo "${program##*/} FAILED" >>"$table.one"
	}
	cat "$table.one"
	cat "$table.one" >>"$table"
	rm -f "$table.one"
done
met=$(grep -c ' met$' "$table")
missed=$(grep -c ' MISSED$' "$table")
echo
echo "$met of $((met + missed)) targets met; load now" \
	"$(cut -d ' ' -f 1-3 /proc/loadavg)"
exit $failed
