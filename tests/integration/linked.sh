#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# linked.sh LIBRARY - programs linked in unusual ways record themselves: static,
# static-pie, and with a preloaded library whose own copy emits inside of
# malloc().  Events before the library's constructor arrive, or are counted as
# lost.
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

# has FILE MARK: FILE is valid, and has MARK of examples/events.c
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
	# in one of the files, as each of two copies in a process has its own
	# file
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
# programs without instrumentation, at their allocations
SYSPROF_TRACE_FD=3 LD_PRELOAD="$work/preload.so" \
	sh -c 'ls / | sort | wc -l' 3>others >/dev/null
"$SYSCAP" check others >check || { cat check; exit 1; }
"$SYSCAP" stat others | grep -Eq 'preload +malloc'

# early FILE N: every event of linked_early.c is there or counted as lost, and
# every event from constructors on is there
early() {
	"$SYSCAP" check "$1" >check || { cat check; exit 1; }
	"$SYSCAP" dump "$1" >dump
	for mark in constructor main ${3-}; do
		grep -q "group \"early\" name \"$mark\"" dump ||
			{ echo "$1: no $mark"; cat dump; exit 1; }
	done
	arrived=$(grep -c 'group "early"' dump)
	lost=$(sed -n 's/.*name "lost" message "frames=\([0-9]*\) .*/\1/p' dump)
	[ $((arrived + ${lost:-0})) = "$2" ] ||
		{ echo "$1: $arrived and $lost of $2"; cat dump; exit 1; }
}

$CC -fPIC -shared -x c - -o libearly.so <<'END'
void early_from_library(void) __attribute__((weak));
__attribute__((constructor)) static void run(void)
{
	if (early_from_library)
		early_from_library();
}
END
for how in -rdynamic "-rdynamic -no-pie" -static -static-pie; do
	# 10 in the resolver, 3 later, and the library's
	case $how in
	-r*) more="-L. -Wl,--no-as-needed -learly -Wl,-rpath,$work" n=14 mark=library ;;
	*) more='' n=13 mark=preinit ;;
	esac
	if [ $n = 13 ] && nm "$library" 2>&1 | grep -q __stack_chk; then
		echo "left out: $how: a stack protector needs thread-local storage"
		continue
	fi
	# shellcheck disable=SC2086
	if ! $CC -O1 -fno-stack-protector $how -I"$SYSCAP_SOURCE/include" \
		"$SYSCAP_SOURCE/tests/integration/linked_early.c" "$library" $more \
		-pthread -o early 2>errors; then
		echo "left out: $CC $how: $(head -n 1 errors)"
		continue
	fi
	./early
	rm -f output
	SYSCAP_OUTPUT=output ./early
	early output $n $mark
	"$SYSCAP" record -o recorded ./early >record 2>&1 || { cat record; exit 1; }
	early recorded $n $mark
	rm recorded
	echo "early $how: ok"
done
