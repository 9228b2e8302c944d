#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# gtk4.sh - record a GTK 4 program that has the reference's client in it.
#
# Reads SYSCAP (the command) and REF_COUNT (ref_count).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
skip() { echo "skip: $*"; exit 77; }
[ -n "${REF_COUNT:-}" ] || skip "there is no libsysprof-capture-4"
command -v gtk4-widget-factory >/dev/null || skip "there is no gtk4-examples"
command -v xvfb-run >/dev/null || skip "there is no xvfb"
command -v xauth >/dev/null || skip "there is no xauth"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -m 700 "$work/run"
export HOME="$work" XDG_RUNTIME_DIR="$work/run"
status=0
xvfb-run -a "$SYSCAP" record -o "$work/wf.syscap" -- \
	timeout 6 gtk4-widget-factory >"$work/log" 2>&1 || status=$?
# The command's own status: timeout had to end it.
[ $status = 124 ] || { cat "$work/log"; echo "status $status"; exit 1; }

"$SYSCAP" check "$work/wf.syscap"
"$here/compare_counts.sh" "$work/wf.syscap"
"$SYSCAP" stat --json "$work/wf.syscap" >"$work/json"

# has REGEX: one object of the JSON has it; keys stand in a fixed order.
tr '\n' ' ' <"$work/json" | sed 's/" *: */":/g; s/ *, *"/,"/g' |
	tr '{' '\n' >"$work/objects"
has() {
	grep -Eq "$1" "$work/objects" && return
	echo "stat --json has no $1"
	cat "$work/json"
	exit 1
}
has '"group":"gtk","name":"[^"]*frameclock cycle'
has '"category":"gtk","name":"fps"'
