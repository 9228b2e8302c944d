#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# recordings.sh [POOL] - `syscap diff` of real recordings.  In 500 random splits
# of 40 runs of one program, diff reports almost no changes.  In 40 other runs
# diff finds the planted changes.
#
# The two kinds of runs alternate, so that the machine's load affects both.
# POOL: a directory with existing recordings.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
if ! command -v python3 >/dev/null; then
	echo "skip: there is no python3"
	exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
pool=${1:-$dir}

# Timers of processor time are too coarse for runs of a few seconds.  With 250
# kernel ticks per second, a function has few samples.
record() {
	out=$1
	shift
	"$SYSCAP" record -q --sample=4000,perf -o "$out" -- \
		"$SYSCAP_TEST_BIN/compare_mix" "$@"
}
if [ "$pool" = "$dir" ]; then
	record "$dir/try.syscap" 10000
	"$SYSCAP" stat --json "$dir/try.syscap" | python3 -c 'import json, sys
hot = json.load(sys.stdin)["hot"]
if hot["samples"] < 2 * hot["total"] / 1e6:
	print("there are %d samples in %.0f ms: no perf_event_open()?" %
	      (hot["samples"], hot["total"] / 1e6))
	sys.exit(77)'
	i=1
	while [ $i -le 40 ]; do
		record "$pool/base$i.syscap" 30000
		record "$pool/new$i.syscap" 30000 15 10
		i=$((i + 1))
	done
fi
python3 "$here/splits.py" "$SYSCAP" "$pool" 500
