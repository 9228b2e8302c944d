#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# main/output.sh - output that cannot be written is an error.
. "$(dirname "$0")/../transcript.sh"
for command in stat dump check; do
	status=0
	"$SYSCAP" $command everything.syscap >/dev/full 2>"$work/err" ||
		status=$?
	cat "$work/err" >>"$work/transcript"
	echo "$command: exit status $status" >>"$work/transcript"
done
finish
