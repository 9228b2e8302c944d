#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# complete.sh - test_behaviour uses every function that api.txt names.
set -eu
cd "$(dirname "$0")"

status=0
# (syscap_dropin_time is what the clock's inline functions call.)
for name in $(awk '$1 == "function" || $1 == "inline" {
	match($0, /[a-z_0-9]+ \(/)
	print substr($0, RSTART, RLENGTH - 2) }' api.txt); do
	[ "$name" != syscap_dropin_time ] || continue
	grep -q "[^a-z_0-9]${name}[^a-z_0-9]" behaviour*.c || {
		echo "behaviour_*.c: nothing uses $name"
		status=1
	}
done
exit $status
