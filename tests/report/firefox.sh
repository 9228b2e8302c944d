#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# firefox.sh - the page in Firefox: gives the same results, draws every view,
# and prints.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
skip() { echo "skip: $*"; exit 77; }
command -v python3 >/dev/null || skip "there is no python3"
program=$(command -v firefox-esr || command -v firefox) ||
	skip "there is no firefox-esr"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "SEED=$seed"
export SEED="$seed"
python3 "$here/../export/rich.py" "$dir/rich.syscap" "$seed"
"$SYSCAP" report -o "$dir/rich.html" "$dir/rich.syscap" 2>"$dir/err" ||
	{ cat "$dir/err"; exit 1; }
python3 "$here/cases.py" "$dir/rich.syscap" "$dir/rich.html" 10 >"$dir/cases"
python3 "$here/firefox.py" "$program" "$dir/rich.html" "$dir/cases" "$dir" \
	"${PICTURES:-$SYSCAP_TEST_BIN/../../pictures}"
