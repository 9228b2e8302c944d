#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# gtk4_story.sh - `syscap stat` and a page of `syscap view` name the cause of a
# GTK 4 program's slow frames.  Samples of processor time show a working
# function; their missing time shows a wait; samples of wall time show the call
# that waits. docs/sampling.md and docs/view.md describe this example.
#
# Reads SYSCAP (the command) and CC.  Each slow frame of gtk4_story.c takes 40
# ms more, on any machine.  If the X server gets no processor time, other
# frames may take longer. In this case the test repeats with frames that are
# slower by twice as much.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
skip() { echo "skip: $*"; exit 77; }
need() { command -v "$1" >/dev/null || skip "there is no $1"; }
need python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
dir=$work stories=$here
. "$here/record_story.sh"

# slow_frames NAME SAMPLE WHAT - record; six frames of 300 are slow by
# $STORY_MS.
slow_frames() {
	record_story "$1" "$2" "$3"
	"$SYSCAP" stat --mark 'gtk/frameclock cycle' --slowest 20 \
		"$work/$1.syscap" >"$work/$1.text"
	"$SYSCAP" stat --mark 'gtk/frameclock cycle' --slowest 20 --json \
		"$work/$1.syscap" >"$work/$1.json"
	# From the first page: compares more than the slowest 1 %, since a busy
	# machine makes frames slow, too
	for keys in 5 5+ 5++ 5+++; do
		"$SYSCAP" view --snapshot flame --keys $keys --size 120x40 \
			"$work/$1.syscap" >"$work/$1.screen$keys"
	done
	echo "$3, $2:"
	sed -n '/^Hot functions/,/^$/p; /^Slowest/,/^$/p' "$work/$1.text"
}

cat >"$work/check.py" <<'EOF'
import json, sys
PLANTED = 6 * int(sys.argv[2]) * 1_000_000

def read(name):
    text = open(f"{sys.argv[1]}/{name}.text").read()
    stat = json.load(open(f"{sys.argv[1]}/{name}.json"))
    return text, stat

def total(stat, function):
    return sum(f["total"] for f in stat["hot"]["functions"]
               if f["name"] == function)

def expect(what, holds):
    print("ok" if holds else "FAILED", "-", what)
    return holds

good = True
text, stat = read("work")
first = text.split("function ")[1].splitlines()[1]
good &= expect("the first line of functions names the planted work",
               " burn_in_a_frame " in first)
good &= expect("it has most of the time that was planted",
               total(stat, "burn_in_a_frame") > PLANTED / 2)

text, stat = read("wait")
marks = stat["slowest_marks"]
duration = sum(m["duration_ns"] for m in marks)
waited = sum(max(m["duration_ns"] - m["running_ns"], 0) for m in marks)
good &= expect(f"waiting {waited / 1e6:.0f} of {duration / 1e6:.0f} ms",
               waited > duration / 2 and waited > PLANTED / 2)
good &= expect("the text says so", "the slowest 20: waiting at least " in text)

text, stat = read("wall")
good &= expect("samples of wall time name fsync",
               total(stat, "fsync") > PLANTED / 2)

# Ignores waits for the processor, which a busy machine causes everywhere.
def first(screen):
    rows = screen.split("unexpected ▼", 1)[1].splitlines()[1:]
    return next(row for row in rows if "(waiting" not in row)

for name, culprits in (("work", ["burn_in_a_frame"]),
                       ("wall", ["fsync", "clock_nanosleep"])):
    screens = {keys: open(f"{sys.argv[1]}/{name}.screen{keys}").read()
               for keys in ("5", "5+", "5++", "5+++")}
    found = [keys for keys, screen in screens.items()
             if any(culprit in first(screen) for culprit in culprits)]
    good &= expect(f"view names it as the first, after the keys {found}",
                   bool(found))
    if not found:
        print(*screens.values())
screen = open(f"{sys.argv[1]}/wait.screen5").read()
good &= expect("view says that they wait", "(waiting" in screen)
sys.exit(0 if good else 1)
EOF
for STORY_MS in 40 80 160 320; do
	slow_frames work auto work
	slow_frames wait auto fsync
	slow_frames wall wall fsync
	python3 "$work/check.py" "$work" "$STORY_MS" && exit 0
	echo "frames that were slow by $STORY_MS ms were not the slowest"
done
exit 1
