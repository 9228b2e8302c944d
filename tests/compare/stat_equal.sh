#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# stat_equal.sh - `syscap diff` has the same counters and marks of a run as
# `syscap stat`, also through filters.
set -eu
: "${SYSCAP:?}"
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
if ! command -v python3 >/dev/null; then
	echo "skip: there is no python3"
	exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "SEED=$seed"
python3 "$here/../export/rich.py" "$dir/rich.syscap" "$seed"
python3 "$here/stat_equal.py" "$SYSCAP" "$dir/rich.syscap" "$seed"
