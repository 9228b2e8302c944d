#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# off_path.sh - cost of an event in C++ without a recording, which equals C's
# cost: one load, one test and one forward branch.  A scope's end also tests a
# local variable.
#
# The test reads CXX, SYSCAP_SOURCE, SYSCAP_SANITIZE.
set -eu
tests=$SYSCAP_SOURCE/bindings/cpp/tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

skip() {
	echo "skip: $1"
	exit 77
}

command -v objdump >/dev/null || skip "there is no objdump (Debian: binutils)"
[ "$(uname -m)" = x86_64 ] || skip "reads x86-64 code only"
[ -z "${SYSCAP_SANITIZE:-}" ] || skip "sanitizers add checks of their own"

status=0
for level in -O2 -O3; do
	for model in "" -fPIC; do
		# shellcheck disable=SC2086
		"$CXX" -std=c++11 $level $model -I"$SYSCAP_SOURCE/include" \
			-I"$SYSCAP_SOURCE/bindings/cpp/include" \
			-c "$tests/off_path.cpp" -o "$work/off.o"
		objdump -dr --no-show-raw-insn "$work/off.o" >"$work/listing"
		for event in instant:1 mark:1 counter:1 update:1 log:1 \
			metadata:1 scope:2 object:2 function:2; do
			awk -v name="off_${event%:*}" -v tests="${event#*:}" \
				-f "$SYSCAP_SOURCE/tests/emit/off_path.awk" \
				"$work/listing" || {
				echo "... with $level $model"
				status=1
			}
		done
	done
done
exit $status
