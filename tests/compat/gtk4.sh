#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# gtk4.sh - record a GTK 4 program that contains the reference's client.
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
cleanup() {
	[ ! -s "$work/pid" ] || kill "$(cat "$work/pid")" 2>/dev/null || :
	wait
	rm -rf "$work"
}
trap cleanup EXIT
mkdir -m 700 "$work/run"
export HOME="$work" XDG_RUNTIME_DIR="$work/run"

# has REGEX: matches an object of the JSON, whose keys have a fixed order.
has() {
	grep -Eq "$1" "$work/objects"
}
look() {
	"$SYSCAP" stat --json "$work/wf.syscap" >"$work/json" 2>"$work/err" ||
		return
	tr '\n' ' ' <"$work/json" | sed 's/" *: */":/g; s/ *, *"/,"/g' |
		tr '{' '\n' >"$work/objects"
}
cycle='"group":"gtk","name":"[^"]*frameclock cycle'
fps='"category":"gtk","name":"fps"'

# Runs until the program has drawn some frames, also on a busy machine
# shellcheck disable=SC2016
xvfb-run -a "$SYSCAP" record -o "$work/wf.syscap" -- sh -c \
	'echo $$ >"$0"; exec gtk4-widget-factory' "$work/pid" \
	>"$work/log" 2>&1 &
recorder=$!
i=0
until look && has "$cycle" && has "$fps"; do
	i=$((i + 1))
	kill -0 $recorder 2>/dev/null && [ $i -lt 400 ] || {
		cat "$work/log" "$work/json"
		echo "no cycle of the frame clock, or no rate"
		exit 1
	}
	sleep 0.5
done
sleep 1
kill "$(cat "$work/pid")"
status=0
wait $recorder || status=$?
rm "$work/pid"
[ $status = 143 ] || { cat "$work/log"; echo "status $status"; exit 1; }

"$SYSCAP" check "$work/wf.syscap"
"$here/compare_counts.sh" "$work/wf.syscap"
look && has "$cycle" && has "$fps" || {
	cat "$work/err" "$work/json"
	exit 1
}

# GTK 4.8 writes the time of this mark in µs
if "$SYSCAP" dump --type=mark "$work/wf.syscap" |
	grep -q '^-.* name "mapped window"'; then
	"$SYSCAP" stat --all "$work/wf.syscap" >"$work/text"
	grep -q '"mapped window" begins before its process' "$work/text" || {
		cat "$work/text"
		exit 1
	}
	! has '"group":"gtk","name":"mapped window"'
fi
