#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# spidermonkey_gui.sh [PICTURE] - test that Sysprof opens a recording of
# JavaScript without a crash.
#
# A person must check the window, which PICTURE keeps as a PNG.  The list of
# functions must contain mix, innermost, thereAndBack and outermost, each with
# the file and line of its definition, and callBack.
#
# The test reads SYSCAP (the command) and SPIDERMONKEY_EXAMPLE.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
skip() { echo "skip: $*"; exit 77; }
[ -z "${SYSCAP_SANITIZE:-}" ] || skip "the picture is the same"
for command in sysprof Xvfb dbus-run-session import; do
	command -v $command >/dev/null || skip "there is no $command"
done

work=$(mktemp -d)
server='' viewer=''
finish() {
	for pid in $viewer $server; do
		kill "$pid" 2>/dev/null || true
	done
	wait 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' INT TERM

# Samples only running threads, since the engine's other threads would come
# first.
(cd "$here/../examples" && SYSCAP_SAMPLE=1000,cpu \
	"$SYSCAP" record -q -o "$work/js.syscap" -- \
	"$SPIDERMONKEY_EXAMPLE" spidermonkey.js)
"$SYSCAP" dump --json --type jitmap "$work/js.syscap" |
	grep -q '"mix (' || { echo "mix() has no name"; exit 1; }

# The server writes its display number when it is ready.
mkfifo "$work/number"
Xvfb -displayfd 3 -screen 0 1280x900x24 3>"$work/number" 2>/dev/null &
server=$!
read -r number <"$work/number"
mkdir -m 700 "$work/run"
export DISPLAY=":$number" GDK_BACKEND=x11 GSETTINGS_BACKEND=memory
export HOME="$work" XDG_RUNTIME_DIR="$work/run" GSK_RENDERER=cairo
dbus-run-session -- sysprof "$work/js.syscap" >"$work/log" 2>&1 &
viewer=$!

# Waits until the window does not change and has more than one colour.
before=''
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	sleep 3
	kill -0 $viewer || { cat "$work/log"; echo "it ended"; exit 1; }
	import -window root "$work/shot.png"
	now=$(cksum <"$work/shot.png")
	size=$(wc -c <"$work/shot.png")
	[ "$now" != "$before" ] || [ "$size" -lt 10000 ] || break
	before=$now
done
# The command line comes first; functions are further down.
if command -v xdotool >/dev/null; then
	xdotool mousemove 100 350 click --repeat 7 --delay 50 5
	sleep 2
	import -window root "$work/shot.png"
fi
[ "$size" -ge 10000 ] || { cat "$work/log"; echo "it shows nothing"; exit 1; }
[ $# -eq 0 ] || cp "$work/shot.png" "$1"
echo "a picture of $size bytes"
