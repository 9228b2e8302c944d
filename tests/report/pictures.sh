#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# pictures.sh SYSCAP - makes docs/pictures from recordings of the program of
# docs/report.md.  No test: a person checks the pictures before a commit.  A
# busy machine needs `nice -n -20`, or all frames are slow.
set -eu
SYSCAP=$1
here=$(cd "$(dirname "$0")" && pwd)
export SYSCAP SYSCAP_SOURCE="$here/../.." CC="${CC:-cc}"
. "$here/needs.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
stories=$here/../compat
. "$stories/record_story.sh"
export PICTURES="$SYSCAP_SOURCE/docs/pictures"
record_story work auto work
record_story wall wall fsync
for name in work wall; do
	"$SYSCAP" report -o "$dir/$name.html" "$dir/$name.syscap"
done
node "$here/pictures.mjs" "$dir/work.html" "$dir/wall.html"
