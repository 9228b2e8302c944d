#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# sampling.sh WHAT - `syscap record --sample` of a system program, packaged
# without frame pointers.  Nearly all stacks reach their outermost frame,
# through the expected functions.
#
# WHAT is xz, python, gtk or make.  Reads SYSCAP (the command) and
# SYSCAP_TEST_BIN, with record_sample_show.
set -eu
skip() { echo "skip: $*"; exit 77; }
need() { command -v "$1" >/dev/null || skip "there is no $1"; }
[ -z "${SYSCAP_SANITIZE:-}" ] ||
	skip "programs do not start with a sanitized library preloaded"
show=$SYSCAP_TEST_BIN/record_sample_show

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# record STATUS COMMAND... - COMMAND must end with STATUS
record() {
	want=$1 status=0
	shift
	"$SYSCAP" record -o "$work/capture.syscap" --sample -- "$@" \
		>"$work/out" 2>"$work/err" || status=$?
	grep '^syscap record:' "$work/err" || true
	[ $status = "$want" ] ||
		{ cat "$work/err"; echo "status $status"; exit 1; }
	"$SYSCAP" check "$work/capture.syscap"
}

case $1 in
xz)
	need xz
	cat /usr/bin/* 2>/dev/null | head -c 8000000 >"$work/data"
	record 0 xz -9 -k "$work/data"
	"$show" "$work/capture.syscap" lzma_code 90
	;;
python)
	[ -x /usr/bin/python3 ] || skip "there is no /usr/bin/python3"
	record 0 /usr/bin/python3 -c '
import json, re
for i in range(24000):
	json.dumps(list(range(200)))
	re.sub("[a-z]+", "x", "abc def " * 100)
'
	"$show" "$work/capture.syscap" _PyEval_EvalFrameDefault 70
	;;
gtk)
	need gtk4-widget-factory
	need xvfb-run
	need xauth
	mkdir -m 700 "$work/run"
	export HOME="$work" XDG_RUNTIME_DIR="$work/run" GDK_BACKEND=x11
	# Without a graphics card Mesa draws by code of a JIT that has neither
	# unwind tables nor frame pointers: ticks in that code have no callers.
	record 124 xvfb-run -a timeout 8 gtk4-widget-factory
	"$show" "$work/capture.syscap" g_application_run 10 ||
		echo "so much with Mesa's JIT"
	export GSK_RENDERER=cairo
	record 124 xvfb-run -a timeout 8 gtk4-widget-factory
	"$show" "$work/capture.syscap" g_application_run 10
	;;
make)
	need make
	for i in 1 2 3 4 5 6; do
		echo "#include <stdio.h>" >"$work/f$i.c"
		j=0
		while [ $j -lt 400 ]; do
			echo "int f${i}_$j(int n) { char t[99]; return" \
				"snprintf(t, 99, \"%d\", n * $j) + n / 7; }"
			j=$((j + 1))
		done >>"$work/f$i.c"
	done
	printf 'libf.so: f1.o f2.o f3.o f4.o f5.o f6.o\n%s\n' \
		'	$(CC) -shared -o $@ $^' >"$work/Makefile"
	good=true
	record 0 make -C "$work" -j2 CC="${CC:-cc}" CFLAGS='-O2 -fPIC -g'
	"$show" "$work/capture.syscap" >"$work/shown" || good=false
	cat "$work/shown"
	$good
	n=$(sed -n 's/.* \([0-9]*\) processes$/\1/p' "$work/shown")
	[ "$n" -ge 7 ] || { echo "samples of $n processes, not 7"; exit 1; }
	;;
*)
	echo "$1?"
	exit 2
	;;
esac
