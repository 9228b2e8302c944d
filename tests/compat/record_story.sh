# SPDX-License-Identifier: BSD-2-Clause
# record_story.sh - sourced: record_story NAME SAMPLE WHAT records gtk4_story,
# 300 frames, to $dir/NAME.syscap; slow frames take $STORY_MS or 40 ms longer.
# Skips if that program can't run.  The caller sets $dir, $stories (this file's
# directory) and $CC.
no_story() { echo "skip: $*"; exit 77; }
command -v xvfb-run >/dev/null || no_story "there is no xvfb-run"
command -v xauth >/dev/null || no_story "there is no xauth"
pkg-config --exists gtk4 2>/dev/null || no_story "there is no gtk4 (libgtk-4-dev)"
mkdir -m 700 "$dir/run"
export HOME="$dir" XDG_RUNTIME_DIR="$dir/run" GDK_BACKEND=x11
export GSK_RENDERER=cairo
# shellcheck disable=SC2046
$CC -O2 -rdynamic -o "$dir/story" $(pkg-config --cflags gtk4) \
	"$stories/gtk4_story.c" $(pkg-config --libs gtk4)

record_story() {
	timeout 150 xvfb-run -a "$SYSCAP" record -q -o "$dir/$1.syscap" \
		--sample="$2" -- "$dir/story" "$3" 300 "${STORY_MS:-40}" 2>"$dir/err" ||
		{ cat "$dir/err"; exit 1; }
}
