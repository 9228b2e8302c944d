#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# musl.sh LIBRARY - check that the preloaded library uses only functions of the
# C library that musl has, too (musl.txt), or weak references.  If a symbol of a
# preloaded library is missing, a program does not start.  An environment
# variable preloads the library into all programs of a build.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
library=$1

if [ -n "${SYSCAP_SANITIZE:-}" ]; then
	echo "skip: sanitizers add symbols of their own"
	exit 77
fi
listed=$(sed 's/#.*//' "$here/musl.txt" | tr -s ' ' '\n')
bad=0
for symbol in $(nm -D "$library" | awk '$1 == "U" { sub(/@.*/, "", $2)
		print $2 }'); do
	echo "$listed" | grep -qx -e "$symbol" || {
		echo "not in musl.txt: $symbol"
		bad=1
	}
done
# Check the list, if musl is installed
loader=/lib/ld-musl-$(uname -m).so.1
[ -e "$loader" ] || exit $bad
nm -D --defined-only "$loader" | awk '{ print $3 }' | sort -u >list.$$
trap 'rm -f list.$$' EXIT
for symbol in $listed; do
	grep -qx -e "$symbol" list.$$ || {
		echo "not in musl: $symbol"
		bad=1
	}
done
exit $bad
