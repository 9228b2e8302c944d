#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# embedded.sh RECORD_SELF REF_RESOLVE - Sysprof 3.46 finds the names that
# `syscap symbolize` puts into a capture, also for programs that were deleted or
# rebuilt since.
set -eu
: "${SYSCAP:?names the binary to test}"
record_self=$1 ref_resolve=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "failed: $*"; exit 1; }

# The program's own functions, in the order of its stack, each once.
own() { sed -n 's/ \[prog\]$//p' "$1" | uniq; }

cp "$record_self" prog
./prog plain.syscap >wanted
"$SYSCAP" symbolize -q -o named.syscap plain.syscap
"$SYSCAP" check -q named.syscap 2>/dev/null || "$SYSCAP" check named.syscap

# The capture's frames do not change: new frames are appended.
size=$(wc -c <plain.syscap)
head -c "$size" named.syscap | cmp - plain.syscap || fail "frames changed"

# The message suggests --force only if it can help: new names must not move an
# index's frames.
"$SYSCAP" symbolize named.syscap 2>err
grep -q 'already has names; --force adds to them$' err || fail "no --force: $(cat err)"
cp named.syscap indexed.syscap
printf '\360' | dd of=indexed.syscap bs=1 seek=88 conv=notrunc status=none
"$SYSCAP" symbolize indexed.syscap 2>err
grep -q 'the capture already has names$' err || fail "--force: $(cat err)"

# The capture has the names, also without the program.
rm prog
status=0
"$ref_resolve" named.syscap >theirs || status=$?
[ $status -ne 77 ] || { cat theirs; exit 77; }
[ $status -eq 0 ] || fail "the reference ended with $status"
own theirs | head -3 | diff wanted - || fail "other names"
grep -q '^qsort.* \[libc\.so\.6\]$' theirs || fail "no qsort: $(cat theirs)"

# With source lines, if available, Sysprof finds the same.
cp "$record_self" prog
if "$SYSCAP" symbolize -q --lines -o lined.syscap plain.syscap 2>err; then
	"$SYSCAP" files lined.syscap | grep -q __lines__ || fail "no lines"
	"$SYSCAP" check lined.syscap >/dev/null
	"$SYSCAP" symbolize -q --lines --force -o again.syscap lined.syscap
	"$SYSCAP" cat -q -o joined.syscap lined.syscap again.syscap
	for capture in lined again joined; do
		"$ref_resolve" $capture.syscap >lined
		own lined | head -3 | diff wanted - || fail "other names"
	done
else
	grep -q 'libdw' err || fail "$(cat err)"
fi
rm prog

# Too late: the program has ended, and no name is invented.
cp plain.syscap late.syscap
"$SYSCAP" symbolize late.syscap >out 2>err
grep -q 'prog: the file is missing; ' err || fail "no message: $(cat err)"
"$ref_resolve" late.syscap >theirs
[ -z "$(own theirs)" ] || fail "names without a program"
grep -q '^qsort' theirs || fail "no names of the existing program"

# Rebuilt: another file, the same path.
cp "$(command -v cat)" prog
cp plain.syscap late.syscap
"$SYSCAP" symbolize late.syscap >out 2>err
grep -q 'prog: not used, because .* differs from the recorded file' err ||
	fail "no message: $(cat err)"
"$ref_resolve" late.syscap >theirs
[ -z "$(own theirs)" ] || fail "names of another program"

# Once the program is back, --force adds the missing names.
cp "$record_self" prog
"$SYSCAP" symbolize --force late.syscap >out
"$ref_resolve" late.syscap >theirs
own theirs | head -3 | diff wanted - || fail "other names after --force"
"$SYSCAP" check late.syscap >/dev/null
