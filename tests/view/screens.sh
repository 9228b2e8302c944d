#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# screens.sh - the pages of `syscap view` equal the results of an independent
# reader, to the last tick, without and with filters.  Uses a capture with every
# frame type, in both byte orders, and a capture of a sampled program.
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
filters=2 ms=100
if [ "${1:-}" = whole ]; then
	filters=50 ms=500
fi
seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "SEED=$seed"
export SEED="$seed"
python3 "$here/../export/rich.py" "$dir/rich.syscap" "$seed"
python3 "$here/../profile/turn.py" "$dir/rich.syscap" "$dir/big.syscap"
set -- "$dir/rich.syscap" "$dir/big.syscap"
# Names of a sanitizer's functions are wider than any screen.
if [ -z "${SYSCAP_SANITIZE:-}" ]; then
	SYSCAP_SAMPLE=1000 "$SYSCAP" record -q -o "$dir/work.syscap" -- \
		"$SYSCAP_TEST_BIN/profile_work" $ms
	set -- "$@" "$dir/work.syscap"
fi
python3 "$here/screens.py" "$SYSCAP" $filters "$@"
