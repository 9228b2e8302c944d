#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# speedscope_app.sh - speedscope's app, which can export its loaded data, has
# each stack's time and each slice of syscap's export.
#
# The app comes with npm's speedscope, in SYSCAP_NPM or build/npm:
# tests/report/package.json.
set -eu
: "${SYSCAP:?names the binary to test}"
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
for program in python3 chromium; do
	command -v $program >/dev/null ||
		{ echo "skip: there is no $program"; exit 77; }
done
npm=${SYSCAP_NPM:-$SYSCAP_SOURCE/build/npm}
app=$npm/node_modules/speedscope/dist/release
[ -f "$app/index.html" ] || {
	echo "skip: there is no speedscope in $npm (npm install --prefix" \
		"build/npm, with tests/report/package.json)"
	exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "SEED=$seed"
python3 "$here/rich.py" "$dir/rich.syscap" "$seed"
"$SYSCAP" export --format speedscope -o "$dir/rich.json" "$dir/rich.syscap" \
	2>"$dir/err"
python3 "$here/speedscope_app.py" "$dir" "$dir/rich.json" "$app"
