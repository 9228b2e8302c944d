#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# complete.sh - test_behaviour uses every function of api.txt.
set -eu
cd "$(dirname "$0")"

status=0
# (The clock's inline functions call syscap_dropin_time.)
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
