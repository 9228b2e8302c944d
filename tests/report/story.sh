#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# story.sh - a GTK 4 program with 40 ms of work in every 50th frame, and one
# with a wait of 40 ms: from the first view of the page the culprit is on the
# screen within three clicks, by `compare inside`.  docs/report.md tells it.
set -eu
: "${SYSCAP:?}" "${SYSCAP_SOURCE:?}" "${CC:?}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/needs.sh"
command -v xvfb-run >/dev/null || skip "there is no xvfb-run"
command -v xauth >/dev/null || skip "there is no xauth"
pkg-config --exists gtk4 2>/dev/null || skip "there is no gtk4 (libgtk-4-dev)"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -m 700 "$dir/run"
export HOME="$dir" XDG_RUNTIME_DIR="$dir/run" GDK_BACKEND=x11
export GSK_RENDERER=cairo
# shellcheck disable=SC2046
$CC -O2 -rdynamic -o "$dir/story" $(pkg-config --cflags gtk4) \
	"$here/../compat/gtk4_story.c" $(pkg-config --libs gtk4)

# slow NAME SAMPLE WHAT CULPRIT
slow() {
	timeout 150 xvfb-run -a "$SYSCAP" record -q -o "$dir/$1.syscap" \
		--report --sample="$2" -- "$dir/story" "$3" 300 2>"$dir/err" ||
		{ cat "$dir/err"; exit 1; }
	node "$here/story.mjs" "$dir/$1.html" "$4" "story-$1"
}

slow work auto work burn_in_a_frame
slow wall wall fsync 'fsync|fdatasync|clock_nanosleep|__clock_nanosleep.*'
