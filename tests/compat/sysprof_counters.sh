#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# sysprof_counters.sh [PICTURE] - Sysprof opens a capture of `syscap record
# --counters` without a crash.
#
# A person has to check the window: PICTURE, if given, keeps it as a PNG.  On
# the left there must be CPU Usage, Disk Reads/Writes and Network Bytes, with
# lines, and a name after "CPU Model".
#
# Reads SYSCAP (the command).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/sysprof_window.sh"

"$SYSCAP" record -q --counters -o "$work/capture.syscap" -- sh -c '
	sleep 1
	timeout 2 sh -c "while :; do :; done" &
	timeout 2 sh -c "dd if=/dev/zero of=\"$0\" bs=1M count=64; sync" 2>"$0.err"
	wait
	sleep 1' "$work/written"
show_in_sysprof "$work/capture.syscap" "${1:-}"
