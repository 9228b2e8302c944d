#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_memory.sh [whole] - what `syscap record --memory` says is what a
# program has counted itself; its leaks are those that valgrind sees; programs
# behave as without it.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
program=$SYSCAP_TEST_BIN/record_memory
n=1000000
[ "${1:-}" != whole ] || n=10000000

fail() {
	echo "$*"
	exit 1
}

# lost CAPTURE - how many frames
lost() {
	"$SYSCAP" stat --json "$1" | tr -d ' \n' |
		sed 's/.*"lost":{"frames":\([0-9]*\).*/\1/'
}

# Every one, freed by other threads, in children too
"$SYSCAP" record -q --no-symbols --memory -o all.syscap -- \
	"$program" $n 4 3 counted
"$SYSCAP" check all.syscap >/dev/null
"$SYSCAP_TEST_BIN/record_memory_count" all.syscap "$program" >seen
diff counted seen || fail "it is not what the program counted"
rm all.syscap

# What valgrind sees
if command -v valgrind >/dev/null; then
	for size in 0 1000 5000; do
		"$SYSCAP" record -q --no-symbols --memory -o leak.syscap -- \
			"$program" $size 1 0 counted
		valgrind --run-libc-freeres=no "$program" $size 1 0 again \
			2>grind
		blocks=$(sed -n 's/.*in use at exit: .* in \([0-9,]*\) blocks.*/\1/p' \
			grind | tr -d ,)
		"$SYSCAP" stat --json leak.syscap | tr -d ' \n' >stat
		grep -q "\"leaked\":$blocks," stat ||
			fail "valgrind: $blocks blocks: $(grep -o '"leaked":[0-9]*' stat)"
	done
fi
