#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# linked.sh LIBRARY - programs that are linked in odd ways record themselves:
# static, static-pie, and below a preloaded library with a copy of its own that
# emits inside of malloc().
#
# Reads SYSCAP (the command), SYSCAP_SOURCE, CC.
set -eu
if [ -n "${SYSCAP_SANITIZE:-}" ]; then
	echo "skip: sanitizers can't be linked so"
	exit 77
fi
library=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset SYSPROF_CONTROL_FD SYSPROF_TRACE_FD SYSCAP_OUTPUT

# has FILE MARK: FILE is sound, and holds the marks of examples/events.c
has() {
	"$SYSCAP" check "$1" >check || { cat check; exit 1; }
	"$SYSCAP" stat "$1" | grep -Eq "events +$2 +600 " ||
		{ echo "$1:"; "$SYSCAP" stat "$1"; exit 1; }
}

# both HOW COMMAND...
both() {
	how=$1
	shift
	SYSPROF_TRACE_FD=3 "$@" 3>"$how.trace" >/dev/null
	has "$how.trace" instant
	SYSCAP_OUTPUT="$how.output" "$@" >/dev/null
	# in which of the files: two copies in a process have one each
	for file in "$how.output"*; do
		"$SYSCAP" check "$file" >check || { cat check; exit 1; }
		"$SYSCAP" stat "$file" >stat
		if grep -Eq 'events +instant +600 ' stat; then
			echo "$how: ok"
			return
		fi
	done
	echo "$how: not found"
	exit 1
}

for how in "" -static -static-pie; do
	if ! $CC -O1 $how -I"$SYSCAP_SOURCE/include" \
		"$SYSCAP_SOURCE/examples/events.c" "$library" -pthread \
		-o "program$how" 2>errors; then
		echo "left out: $CC $how: $(head -n 1 errors)"
		continue
	fi
	both "linked$how" "./program$how"
done
$CC -O1 -fPIC -shared -I"$SYSCAP_SOURCE/include" \
	"$SYSCAP_SOURCE/tests/integration/linked_preload.c" "$library" -pthread -o preload.so
both preloaded env LD_PRELOAD="$work/preload.so" ./program
# programs that know nothing of syscap, in the places where they allocate
SYSPROF_TRACE_FD=3 LD_PRELOAD="$work/preload.so" \
	sh -c 'ls / | sort | wc -l' 3>others >/dev/null
"$SYSCAP" check others >check || { cat check; exit 1; }
"$SYSCAP" stat others | grep -Eq 'preload +malloc'
