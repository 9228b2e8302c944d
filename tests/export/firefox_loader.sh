#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# firefox_loader.sh - the Firefox Profiler's own loader finds what was recorded.
#
# It comes with npm's @firefox-devtools/profiler-cli; 0.10.0 is the one that was
# tried.  PROFILER_CLI names its profiler-cli.js where that is not on the PATH.
set -eu
: "${SYSCAP:?names the binary to test}"
for program in python3 node; do
	command -v $program >/dev/null ||
		{ echo "skip: there is no $program"; exit 77; }
done
cli=${PROFILER_CLI:-$(command -v profiler-cli || true)}
[ -n "$cli" ] || {
	echo "skip: there is no profiler-cli (npm: @firefox-devtools/profiler-cli)"
	exit 77
}
PYTHONDONTWRITEBYTECODE=1 exec python3 "$(dirname "$0")/firefox.py" "$SYSCAP" \
	"$cli"
