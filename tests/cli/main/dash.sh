#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# main/dash.sh - "-" is standard input or output, or is refused if a command
# needs a file's name.
. "$(dirname "$0")/../transcript.sh"

for command in stat dump check files; do
	"$SYSCAP" $command everything.syscap >"$work/named" 2>&1 || true
	"$SYSCAP" $command - <everything.syscap >"$work/file" 2>&1 || true
	# shellcheck disable=SC2002 # a pipe is meant
	cat everything.syscap | "$SYSCAP" $command - >"$work/pipe" 2>&1 || true
	sed -i 's/everything.syscap/-/' "$work/named"
	cmp "$work/named" "$work/file"
	cmp "$work/named" "$work/pipe"
done
"$SYSCAP" cat -q -o - everything.syscap | cat >"$work/out"
"$SYSCAP" cat -q -o - - <everything.syscap >"$work/again"
"$SYSCAP" cat -q -o "$work/direct" everything.syscap
cmp "$work/direct" "$work/again"
# a pipe's header is written before the end is known
"$SYSCAP" dump "$work/out" >"$work/out.txt"
"$SYSCAP" dump "$work/direct" | cmp - "$work/out.txt"

# a closed reader ends the command, without waiting, for any pipe size
files=everything.syscap
for _ in 1 2 3 4 5 6 7; do
	files="$files $files"
done
{
	status=0
	# shellcheck disable=SC2086 # words are meant
	timeout 60 "$SYSCAP" cat -q -o - $files 2>/dev/null || status=$?
	echo $status >"$work/status"
} | true
[ "$(cat "$work/status")" = 1 ]

run stat - </dev/null
run stat - </
run recover -
run symbolize -
run symbolize -o - everything.syscap
run record -o - true
finish
