#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# alone.sh OBJECTS [TREE] - check of unused globals: every global of the
# products is public, or another of their objects uses the global. Other globals
# must be static, or removed if only tests use them. alone.txt lists exceptions,
# with the reason. objects.sh describes OBJECTS.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
objects=$1
cd "${2:-$here/../..}"

if [ -n "${SYSCAP_SANITIZE:-}" ]; then
	echo "skip: sanitizers add symbols of their own"
	exit 77
fi
{
	sed 's/#.*//; s/^/may /' "$here/alone.txt"
	# The program calls the exports of the preloaded libraries
	find src -name '*.map' | LC_ALL=C sort | xargs -r sed -n 's/^\t\([a-z_A-Z0-9]*\);$/may \1/p'
	find include -name '*.h' | LC_ALL=C sort | xargs cat |
		tr -c 'A-Za-z0-9_' '\n' | sed 's/^/may /'
	"$here/objects.sh" "$objects"
} | awk '
$1 == "may" { may[$2] = 1 }
$1 == "uses" { used[$3] = 1 }
$1 == "defines" && $3 != "main" { where[$3] = $2 }
END {
	for (symbol in where)
		if (!(symbol in used) && !(symbol in may)) {
			print where[symbol] " " symbol ": no other file uses it"
			bad = 1
		}
	exit bad
}'
