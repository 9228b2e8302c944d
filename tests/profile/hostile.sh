#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# hostile.sh - `syscap stat` ends by itself, with status 0 or 1, whatever is in
# the file: what fuzzers found, and captures that end anywhere.
set -eu
: "${SYSCAP:?}"
tests=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
step=97
if [ "${1:-}" = whole ]; then
	step=8
fi

# check FILE OPTION... - the options are words.
check() {
	file=$1
	shift
	status=0
	timeout 60 "$SYSCAP" stat "$@" "$file" >"$dir/out" 2>"$dir/err" ||
		status=$?
	if [ "$status" -gt 1 ] || grep -q 'runtime error' "$dir/err"; then
		echo "stat $* $file: exit status $status"
		cat "$dir/err"
		exit 1
	fi
}

n=0
for file in "$tests"/fuzz/corpus/reader/* "$tests"/fuzz/corpus/join/* \
	"$tests"/fuzz/corpus/dropin/* "$tests"/dropin/corpus/*/*; do
	[ -f "$file" ] || continue
	check "$file" --all --threads --tree
	check "$file" --json --threads --tree --reverse --slowest 3 \
		--focus . --collapse-library '*' --from 0 --to 1s
	n=$((n + 1))
done
echo "$n files"

whole=$tests/fuzz/corpus/reader/everything.syscap
size=$(wc -c <"$whole")
at=0
while [ "$at" -lt "$size" ]; do
	head -c "$at" "$whole" >"$dir/cut.syscap"
	check "$dir/cut.syscap" --json --threads --tree
	at=$((at + step))
done
