#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# trace_modes.sh PROGRAM - the reference's reader walks captures of PROGRAM
# (examples/events.c) to their end, and finds all events.  PROGRAM writes
# through SYSPROF_TRACE_FD, opened in each way of a shell, and into
# SYSCAP_OUTPUT.
#
# Reads SYSCAP (the command) and REF_COUNT (ref_count).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$1
if [ -z "${REF_COUNT:-}" ]; then
	echo "skip: there is no libsysprof-capture-4"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset SYSPROF_CONTROL_FD SYSCAP_OUTPUT
export SYSPROF_TRACE_FD=3

# emitted FILE TIMES: FILE has the events of TIMES runs of the program
emitted() {
	"$here/compare_counts.sh" "$1" >theirs
	"$SYSCAP" check "$1" >check || { cat check; exit 1; }
	marks=$(awk '$1 == "mark" { n += $4 } END { print n }' expected)
	logs=$(awk '$1 == "log" { n += $2 } END { print n }' expected)
	for pair in "mark $((marks * $2))" "log $((logs * $2))"; do
		grep -qx "$pair" theirs || {
			echo "$1: expected $pair, and found"
			cat theirs
			exit 1
		}
	done
	rm "$1"
}

"$program" >expected 3>a
emitted a 1
"$program" >/dev/null 3<>b
"$program" >/dev/null 3<>b
emitted b 2
: >c
"$program" >/dev/null 3>>c
"$program" >/dev/null 3>>c
emitted c 2
"$program" 3>&1 >/dev/null | cat >d
emitted d 1
{ "$program" & "$program" & "$program" & wait; } 3>e >/dev/null
emitted e 3
{ "$program" & "$program" & wait; "$program"; } 3>&1 >/dev/null | cat >f
emitted f 3
if command -v make >/dev/null; then
	printf 'all: a b c d e f\na b c d e f:\n\t@sh -c "$(PROGRAM) >/dev/null"\n' \
		>makefile
	make -j4 -f makefile PROGRAM="$program" 3>g >/dev/null
	emitted g 6
fi
unset SYSPROF_TRACE_FD
SYSCAP_OUTPUT=h "$program" >/dev/null
emitted h 1
SYSCAP_OUTPUT=i%p sh -c '"$0" >/dev/null; exec "$0"' "$program" >/dev/null
[ "$(ls i* | wc -l)" = 2 ] || { ls; exit 1; }
for file in i*; do
	emitted "$file" 1
done
