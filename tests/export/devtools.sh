#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# devtools.sh - the engine of Chromium's Performance panel finds all data of a
# chrome export: every slice and instant, and every sample's stack.
set -eu
: "${SYSCAP:?names the binary to test}"
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
for program in python3 chromium; do
	command -v $program >/dev/null ||
		{ echo "skip: there is no $program"; exit 77; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "SEED=$seed"
python3 "$here/rich.py" "$dir/rich.syscap" "$seed"
"$SYSCAP" export --format chrome -o "$dir/rich.json" "$dir/rich.syscap" \
	2>"$dir/err"
python3 "$here/devtools.py" "$dir" "$dir/rich.json"
