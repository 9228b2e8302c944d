#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# alone.sh OBJECTS [TREE] - every global of the products is public, or another
# object of theirs uses it: what only its own file uses is static, and what
# only tests use is gone.  alone.txt lists what may be alone, with the reason.
# OBJECTS are archives and objects, separated by semicolons.
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
	find include -name '*.h' | LC_ALL=C sort | xargs cat |
		tr -c 'A-Za-z0-9_' '\n' | sed 's/^/may /'
	IFS=';'
	# shellcheck disable=SC2086 # the separator is the semicolon
	nm -g $objects
} | awk '
$1 == "may" { may[$2] = 1; next }
NF == 1 { member = $1 }
NF == 2 && $1 ~ /^[Uwv]$/ { used[$2] = 1 }
NF == 3 && $3 != "main" { where[$3] = member }
END {
	for (symbol in where)
		if (!(symbol in used) && !(symbol in may)) {
			print where[symbol] " " symbol ": no other file uses it"
			bad = 1
		}
	exit bad
}'
