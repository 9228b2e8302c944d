#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# report.sh MAKE_HEAVY COST_OF SYSCAP SOURCE - cost of a large capture's page:
# of the command, and of a browser, in processor time of its main thread.
# docs/benchmarking.md has the aims.
set -eu

make_heavy=$1
cost_of=$2
export SYSCAP="$3" SYSCAP_SOURCE="$4"
scratch=$(mktemp -d "${BENCH_SCRATCH:-${TMPDIR:-/tmp}}/syscap-report.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM

echo "processor  $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo |
	head -n 1) x $(nproc); load $(cut -d ' ' -f 1-3 /proc/loadavg)"
for kind in ${BENCH_KINDS:-samples marks day stacks}; do
	file=$scratch/$kind.syscap
	n=${BENCH_FRAMES:-$([ "$kind" = stacks ] && echo 1000000 ||
		echo 10000000)}
	"$make_heavy" "$kind" "$n" >"$file"
	echo
	echo "$kind: $n frames, $(($(stat -c %s "$file") / 1000000)) MB"
	# shellcheck disable=SC2046 # four words
	set -- $("$cost_of" "$file" "$SYSCAP" report -o "$scratch/$kind.html" \
		"$file" 2>/dev/null)
	printf '  %-44s%9s s  (aim 12 of 1 GB of samples)\n' "report" "$1"
	printf '  %-44s%9s MiB\n' "its memory, beside the file" "$3"
	printf '  %-44s%9s MiB  (aim 64 of samples)\n' "page" \
		"$(($(stat -c %s "$scratch/$kind.html") / 1048576))"
	[ "$kind" = marks ] || ! command -v python3 >/dev/null ||
		python3 "${0%report.sh}view.py" "$SYSCAP" "$file"
	if [ "$kind" = stacks ]; then
		"$make_heavy" stacks 200000 >"$scratch/few.syscap"
		"$SYSCAP" export --format speedscope -o "$scratch/few.json" \
			"$scratch/few.syscap" 2>/dev/null
	fi
	rm "$file"
	here=$SYSCAP_SOURCE/tests/report
	(. "$here/needs.sh" && node "${0%.sh}.mjs" "$scratch/$kind.html") || {
		[ $? = 77 ] || exit 1
	}
	[ "$kind" = stacks ] || continue
	# For comparison, measure another profiler's page with a fiftieth of the
	# samples.
	echo
	echo "200000 samples in 38003 stacks, $(($(stat -c %s "$scratch/few.json") / \
		1000000)) MB of speedscope's format"
	(. "$here/needs.sh"
	[ -d "$NPM/node_modules/speedscope" ] || skip "there is no speedscope"
	exec node "${0%report.sh}speedscope.mjs" "$scratch/few.json") || {
		[ $? = 77 ] || exit 1
	}
done
