#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# equal.sh - exports with times equal the results of an independent reader, also
# with filters.  Compares marks, operations, arrows, values, logs, losses,
# samples and allocations, in both byte orders, and of a sampled program.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
if ! command -v python3 >/dev/null; then
	echo "skip: there is no python3"
	exit 77
fi
protoc=$(command -v protoc || true)
[ -n "$protoc" ] || echo "there is no protoc: perfetto is left out"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
filters=3 ms=100
if [ "${1:-}" = whole ]; then
	filters=50 ms=500
fi
seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "SEED=$seed"
export SEED="$seed"
python3 "$here/rich.py" "$dir/rich.syscap" "$seed"
python3 "$here/../profile/turn.py" "$dir/rich.syscap" "$dir/big.syscap"
SYSCAP_SAMPLE=1000 "$SYSCAP" record -q -o "$dir/work.syscap" -- \
	"$SYSCAP_TEST_BIN/profile_work" $ms
python3 "$here/equal.py" "$SYSCAP" "$protoc" $filters "$dir/rich.syscap" \
	"$dir/big.syscap" "$dir/work.syscap"
