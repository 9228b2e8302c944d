#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# musl.sh LIBRARY - the preloaded library takes from the C library what musl has
# as well (musl.txt), or takes it weakly: who can't resolve a symbol of what is
# preloaded does not start, and a build's environment has it for all programs.
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
# The list itself, where there is musl
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
