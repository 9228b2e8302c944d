#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# hostile.sh - `syscap stat` and what exports end by themselves, with status 0
# or 1, whatever is in the file: what fuzzers found, and captures that end anywhere.
set -eu
: "${SYSCAP:?}"
tests=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
step=97
if [ "${1:-}" = whole ]; then
	step=8
fi

# check FILE COMMAND OPTION...
check() {
	file=$1
	shift
	status=0
	timeout 60 "$SYSCAP" "$@" "$file" >"$dir/out" 2>"$dir/err" ||
		status=$?
	if [ "$status" -gt 1 ] || grep -q 'runtime error' "$dir/err"; then
		echo "$* $file: exit status $status"
		cat "$dir/err"
		exit 1
	fi
}

n=0
for file in "$tests"/fuzz/corpus/reader/* "$tests"/fuzz/corpus/join/* \
	"$tests"/fuzz/corpus/dropin/* "$tests"/dropin/corpus/*/*; do
	[ -f "$file" ] || continue
	check "$file" stat --all --threads --tree
	check "$file" stat --json --threads --tree --reverse --slowest 3 \
		--focus . --collapse-library '*' --from 0 --to 1s
	for format in speedscope pprof 'csv --table=samples'; do
		# shellcheck disable=SC2086
		check "$file" export --format=$format
	done
	check "$file" flamegraph
	check "$file" files --json
	n=$((n + 1))
done
echo "$n files"

whole=$tests/fuzz/corpus/reader/everything.syscap
size=$(wc -c <"$whole")
at=0
while [ "$at" -lt "$size" ]; do
	head -c "$at" "$whole" >"$dir/cut.syscap"
	check "$dir/cut.syscap" stat --json --threads --tree
	at=$((at + step))
done
