#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# firefox_loader.sh - the Firefox Profiler's own loader finds the recorded data.
#
# The loader comes with npm's @firefox-devtools/profiler-cli, in SYSCAP_NPM or
# build/npm: tests/report/package.json.
set -eu
: "${SYSCAP:?names the binary to test}"
for program in python3 node; do
	command -v $program >/dev/null ||
		{ echo "skip: there is no $program"; exit 77; }
done
npm=${SYSCAP_NPM:-$SYSCAP_SOURCE/build/npm}
cli=$npm/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js
[ -f "$cli" ] || {
	echo "skip: there is no profiler-cli in $npm (npm install --prefix" \
		"build/npm, with tests/report/package.json)"
	exit 77
}
node "$cli" --version >/dev/null 2>&1 || {
	echo "skip: node $(node --version) does not run profiler-cli"
	exit 77
}
PYTHONDONTWRITEBYTECODE=1 exec python3 "$(dirname "$0")/firefox.py" "$SYSCAP" \
	"$cli"
