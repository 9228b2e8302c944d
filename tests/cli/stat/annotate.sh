#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# stat/annotate.sh - the source of a function with the share of each line.
set -eu
: "${SYSCAP:?}" "${CC:?}"
dir=$(mktemp -d)
dir=$(cd "$dir" && pwd -P)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() {
	echo "$*"
	exit 1
}
cat >burn.c <<'END'
#include <time.h>

volatile unsigned long sink;

__attribute__((noinline)) static void burn(void)
{
	for (unsigned i = 0; i < 100000; i++)
		sink = sink * 3 + i;	/* hot */
}

/*
 * far
 * away
 * from
 * all
 * samples
 */
static int never(void)
{
	return (int)sink;
}

int main(void)
{
	while (clock() < CLOCKS_PER_SEC / 2)
		burn();	/* calls */
	return never() == 12345;
}
END
$CC -O1 -g -o burn burn.c
"$SYSCAP" record -q --sample --lines -o burn.syscap -- ./burn 2>err ||
	fail "$(cat err)"
if grep -q libdw err; then
	echo "skip: $(cat err)"
	exit 77
fi
"$SYSCAP" stat --annotate burn burn.syscap >out
grep -q '^burn: [1-9][0-9.]* % of all in the function itself' out ||
	fail "$(cat out)"
grep -q "^$dir/burn.c\$" out || fail "$(cat out)"
# The hot line has its share and its text; the line before has its text only.
grep -q '^  *[1-9][0-9.]* %  *[1-9][0-9.]* %  *8            *sink = sink \* 3 + i;  */\* hot \*/$' \
	out || fail "$(cat out)"
grep -q '^ \{18,\}  *5  __attribute__' out || fail "$(cat out)"
! grep -q 'samples\|never' out || fail "$(cat out)"
# A call has the time of what it calls.
"$SYSCAP" stat --annotate main burn.syscap >out
grep -q '^ \{9\}  *\([5-9]\|100\)[0-9.]* %  *26  .*calls' out || fail "$(cat out)"
# The source changed, then it is gone.
touch -d '+1 minute' burn.c
"$SYSCAP" stat --annotate burn burn.syscap | grep -q 'changed after the recording' ||
	fail "no note of a change"
rm burn.c
"$SYSCAP" stat --annotate burn burn.syscap >out
grep -q 'burn.c (No such file or directory: only line numbers' out ||
	fail "$(cat out)"
grep -q '^  *[1-9][0-9.]* %  *[1-9][0-9.]* %  *8$' out || fail "$(cat out)"
! "$SYSCAP" stat --annotate burm burn.syscap 2>err || fail "burm is known"
grep -q 'the capture has no function burm' err || fail "$(cat err)"
# No lines
"$SYSCAP" record -q --sample -o plain.syscap -- ./burn
"$SYSCAP" stat --annotate burn plain.syscap >out
grep -q 'has no source lines' out || fail "lines without --lines"
grep -q '^burn: \([1-9][0-9.]*\) % of all in the function itself, \1 % without a line$' \
	out || fail "$(cat out)"
"$SYSCAP" stat --annotate burn --from 100s plain.syscap >out
test "$(cat out)" = 'burn: no samples in this function' || fail "$(cat out)"
! "$SYSCAP" stat --json --annotate burn plain.syscap 2>err || fail "json"
