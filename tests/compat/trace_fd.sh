#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# trace_fd.sh - `syscap record` joins captures that programs write themselves,
# with the writer of the reference, of syscap, or of GJS.
#
# Reads SYSCAP (the command), REF_COUNT (ref_count), SYSCAP_TEST_BIN
# (ref_writer).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${REF_COUNT:-}" ]; then
	echo "skip: there is no libsysprof-capture-4"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset SYSPROF_CONTROL_FD SYSPROF_TRACE_FD SYSCAP_OUTPUT

sound() {
	"$SYSCAP" check "$1" >check || { cat check; exit 1; }
	"$here/compare_counts.sh" "$1"
}
# shows FILE REGEX...: `stat` has a line for each REGEX
shows() {
	file=$1
	shift
	"$SYSCAP" stat --all "$file" >stat
	for line; do
		grep -Eq "$line" stat ||
			{ echo "$file: no line $line"; cat stat; exit 1; }
	done
}

# Counters of both writers, whose ids may be equal; JIT names
for how in "" unfinished; do
	"$SYSCAP" record -q --trace-fd -o a.syscap -- \
		"$SYSCAP_TEST_BIN/ref_writer" $how 2>log
	sound a.syscap
	shows a.syscap 'writer +mark +500 ' '  sample +500$' \
		'both +theirs .* 499 ' 'both +ours .* 1499 '
	"$SYSCAP" dump --type sample a.syscap | tail -n 1 >last
done

# A torn end is reported, and the rest is there
cat >tear.sh <<'EOF'
"$SYSCAP_TEST_BIN/ref_writer"
printf '\150\000\377\377' >>/proc/self/fd/$SYSPROF_TRACE_FD
EOF
"$SYSCAP" record -q --trace-fd -o torn.syscap -- sh tear.sh 2>log
grep -q 'the file ends 4 bytes into' log || { cat log; exit 1; }
sound torn.syscap
shows torn.syscap 'writer +mark +500 '

# If the bytes are no capture, they are kept, and the command's status is passed
# on
status=0
"$SYSCAP" record -q --trace-fd -o b.syscap -- \
	sh -c 'echo something else >/proc/self/fd/$SYSPROF_TRACE_FD; exit 7' 2>log || status=$?
[ $status = 7 ] || { echo "status $status"; exit 1; }
grep -q 'a copy is in b.syscap.trace-fd' log || { cat log; exit 1; }
[ "$(cat b.syscap.trace-fd)" = "something else" ]
sound b.syscap
# Without space for them, recording fails, and existing files stay
status=0
"$SYSCAP" record -q --trace-fd -o b.syscap -- \
	sh -c 'echo other things >/proc/self/fd/$SYSPROF_TRACE_FD' 2>log || status=$?
[ $status = 125 ] || { echo "status $status"; exit 1; }
[ "$(cat b.syscap.trace-fd)" = "something else" ]
sound b.syscap
# Truncated, or empty
"$SYSCAP" record -q --trace-fd -o c.syscap -- \
	sh -c '"$SYSCAP_TEST_BIN/ref_writer"; : >/proc/self/fd/$SYSPROF_TRACE_FD' 2>log
grep -q 'the command wrote no capture' log || { cat log; exit 1; }
sound c.syscap

# The environment of GJS, with a writer in the place of GJS
"$SYSCAP" record -q --gjs -o d.syscap -- sh -c '[ "$GJS_ENABLE_PROFILER" = 1 ] &&
	SYSPROF_TRACE_FD=$GJS_TRACE_FD "$SYSCAP_TEST_BIN/ref_writer"' 2>log
sound d.syscap
shows d.syscap 'writer +mark +500 ' '  sample +500$'

if ! command -v gjs >/dev/null; then
	echo "left out: gjs itself, for there is none"
	exit 0
fi
if GJS_ENABLE_PROFILER=1 gjs -c '0' 2>&1 | grep -q 'Profiler is disabled'; then
	echo "left out: gjs itself, which was built without its profiler"
	exit 0
fi
cat >busy.js <<'EOF'
function busy(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i); return s; }
let total = 0;
const end = Date.now() + 1500;
while (Date.now() < end) total += busy(100000);
print(total > 0);
EOF
"$SYSCAP" record -q --gjs -o gjs.syscap -- gjs busy.js >/dev/null 2>log
sound gjs.syscap
shows gjs.syscap '  jitmap ' '  sample '
