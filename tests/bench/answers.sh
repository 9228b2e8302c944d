#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# answers.sh MAKE_HEAVY COST_OF SYSCAP - cost of reading large captures:
# processor time, megabytes per second, own memory, memory with the file's
# pages. docs/benchmarking.md has the aims.
set -eu

make_heavy=$1
cost_of=$2
syscap=$3
n=${BENCH_FRAMES:-10000000}
scratch=$(mktemp -d "${BENCH_SCRATCH:-${TMPDIR:-/tmp}}/syscap-answers.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
failed=0

row() {
	kind=$1
	shift
	cost=$("$cost_of" "$scratch/$kind" "$syscap" "$@") || {
		failed=1
		cost="failed - - -"
	}
	# shellcheck disable=SC2086 # four words
	printf '%-10s%-40s%9s%9s%9s%9s\n' "$kind" "$(echo "$*" |
		sed "s|$scratch/[a-z]*||g; s|-o /dev/null||; s|  *| |g")" $cost
}

echo "processor  $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo |
	head -n 1) x $(nproc); load $(cut -d ' ' -f 1-3 /proc/loadavg)"
echo
printf '%-10s%-40s%9s%9s%9s%9s\n' "" "" seconds MB/s 'own MiB' 'all MiB'
for kind in marks counters samples; do
	file=$scratch/$kind
	"$make_heavy" "$kind" "$n" >"$file"
	echo "$kind: $n frames, $(($(stat -c %s "$file") / 1000000)) MB"
	row "$kind" stat "$file"
	row "$kind" cat --force -q -o /dev/null "$file"
	row "$kind" check "$file"
	# Nine times the file: memory must not grow.
	row "$kind" cat --force -q -o /dev/null "$file" "$file" "$file" \
		"$file" "$file" "$file" "$file" "$file" "$file"
	case $kind in
	samples)
		formats="folded speedscope pprof perfetto chrome firefox callgrind"
		tables="functions samples"
		;;
	marks) formats="speedscope perfetto chrome firefox" tables="marks" ;;
	*) formats="perfetto chrome firefox" tables="counters" ;;
	esac
	for format in $formats; do
		row "$kind" export --format "$format" -o /dev/null "$file"
	done
	for table in $tables; do
		row "$kind" export --format csv --table "$table" \
			-o /dev/null "$file"
	done
	if [ "$kind" = samples ]; then
		row "$kind" stat --threads --tree "$file"
		row "$kind" flamegraph -o /dev/null "$file"
	fi
	rm "$file"
done
exit $failed
