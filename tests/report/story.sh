#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# story.sh - a GTK 4 program with 40 ms of work in every 50th frame, and a
# program with a wait of 40 ms.  From the first view of the page, three clicks
# show the cause, by `compare inside`.  docs/report.md describes this example.
set -eu
: "${SYSCAP:?}" "${SYSCAP_SOURCE:?}" "${CC:?}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/needs.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
stories=$here/../compat
. "$stories/record_story.sh"

# slow NAME SAMPLE WHAT CULPRIT
slow() {
	record_story "$1" "$2" "$3"
	"$SYSCAP" report -o "$dir/$1.html" "$dir/$1.syscap" 2>"$dir/err" ||
		{ cat "$dir/err"; exit 1; }
	node "$here/story.mjs" "$dir/$1.html" "$4" "story-$1"
}

slow work auto work burn_in_a_frame
slow wall wall fsync 'fsync|fdatasync|clock_nanosleep|__clock_nanosleep.*'
