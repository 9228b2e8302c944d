#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# off_path.sh - without a recording, an event is one load, one test and one
# forward branch that is not taken: no call, no clock.  Checks the machine code,
# in the usual forms of gcc and clang.
set -eu
here=$SYSCAP_SOURCE/tests/emit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

skip() {
	echo "skip: $1"
	exit 77
}

command -v objdump >/dev/null || skip "there is no objdump"
case $(uname -m) in
x86_64) ;;
*) skip "reads x86-64 code only" ;;
esac
[ -z "${SYSCAP_SANITIZE:-}" ] || skip "sanitizers add checks of their own"

# follow <listing> <function> <most branches>
follow() {
	awk -v name="$2" -v tests="$3" -f "$here/off_path.awk" "$1"
}

status=0
# (-Os ignores which way a branch usually goes)
for level in -O2 -O3; do
	for model in "" -fPIC; do
		# shellcheck disable=SC2086
		${CC:-cc} -std=c11 $level $model -I"$SYSCAP_SOURCE/include" \
			-c "$here/off_path.c" -o "$work/off.o"
		objdump -dr --no-show-raw-insn "$work/off.o" >"$work/listing"
		for event in instant mark counter update log metadata; do
			follow "$work/listing" off_$event 1 || {
				echo "... with $level $model"
				status=1
			}
		done
		# and a test of a local variable at the block's end
		follow "$work/listing" off_scope 2 || {
			echo "... with $level $model"
			status=1
		}
	done
done

# The check must find a fault: a clock read before the test
cat >"$work/bad.c" <<'END'
#include <syscap.h>
void off_bad(void);
void off_bad(void)
{
	const int64_t now = (int64_t)__builtin_ia32_rdtsc();

	SYSCAP_MARK("test", "mark", now, 0, NULL);
}
END
${CC:-cc} -std=c11 -O2 -I"$SYSCAP_SOURCE/include" -c "$work/bad.c" \
	-o "$work/bad.o"
objdump -dr --no-show-raw-insn "$work/bad.o" >"$work/bad"
if follow "$work/bad" off_bad 1 >/dev/null; then
	echo "a clock read before the test was not noticed"
	status=1
fi
exit $status
