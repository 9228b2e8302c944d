#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tasks.sh [whole] - twelve tasks on the page of a GTK 4 program, recorded with all
# collectors.  The clicks of each task are counted, and each answer equals that of
# an independent reader.  whole: also on the pages of six programs of everyday
# use, whose numbers through filters equal the reader's, too.
set -eu
: "${SYSCAP:?}" "${SYSCAP_SOURCE:?}" "${CC:?}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/needs.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
stories=$here/../compat
CC="$CC -g"
. "$stories/record_story.sh"
. "$stories/record_programs.sh"
cd "$dir"

# answers NAME CULPRIT: the page of NAME.syscap answers the twelve questions
answers() {
	"$SYSCAP" report --source -o "$1.html" "$1.syscap" 2>err || { cat err; exit 1; }
	python3 "$here/tasks.py" "$1.syscap" "$2" >"$1.answers"
	node "$here/tasks.mjs" "$dir/$1.html" "$1.answers" "$1.syscap"
}

timeout 150 xvfb-run -a "$SYSCAP" record -q -o story.syscap --sample --lines \
	--memory --io --stalls --counters --logs --stderr -- "$dir/story" work \
	"${STORY_FRAMES:-100}" "${STORY_MS:-120}" 2>err || { cat err; exit 1; }
answers story burn_in_a_frame
[ "${1:-}" = whole ] || exit 0

seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "SEED=$seed"
export SEED="$seed"
programs="sqlite make python node gjs widgets"
# shellcheck disable=SC2086
prepare_programs $programs
for name in $programs; do
	# The first three allocate so often that samples suffice.
	case $name in
	make | node | widgets) memory=--memory=64K ;;
	*) memory=--memory ;;
	esac
	record_program $name --sample --lines "$memory" --io --stalls --counters \
		--logs --stderr
	echo "$name:"
	answers $name ""
	python3 "$here/cases.py" "$name.syscap" "$name.html" 20 >"$name.json"
	node "$here/equal.mjs" "$dir/$name.html" "$name.json"
done
