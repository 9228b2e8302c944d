#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# skipped.sh BUILD - prints the reason of each skip in the last tests of BUILD.
# ctest runs this script at its end.
set -eu
log=$1/Testing/Temporary/LastTest.log
[ ! -f "$log.tmp" ] || log=$log.tmp # while ctest runs
[ -f "$log" ] || exit 0

# The output of each test is between its name and its time.
awk '
/^[0-9]+\/[0-9]+ Testing: / { name = $3 }
/^(skip|SKIP|skipped)[: ]/ {
	sub(/^(skip|SKIP|skipped):? */, "")
	print name ": " $0
}' "$log" | sort >"$log.skipped"
if [ -s "$log.skipped" ]; then
	echo
	echo "Why tests were skipped:"
	cat "$log.skipped"
fi
rm -f "$log.skipped"
