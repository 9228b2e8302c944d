#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# main/output.sh - output that cannot be written is an error.
. "$(dirname "$0")/../transcript.sh"
for command in stat dump check flamegraph 'export -f csv --table marks'; do
	status=0
	# shellcheck disable=SC2086 # words are meant
	"$SYSCAP" $command everything.syscap >/dev/full 2>"$work/err" ||
		status=$?
	cat "$work/err" >>"$work/transcript"
	echo "$command: exit status $status" >>"$work/transcript"
done
run flamegraph -o /dev/full everything.syscap
run export -f csv --table marks -o /dev/full everything.syscap
finish
