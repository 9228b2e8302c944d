#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# sysprof_gui.sh [PICTURE] - Sysprof opens a recording of a program that was
# rebuilt and then deleted meanwhile, and stays up.
#
# What it shows has to be looked at: PICTURE, a PNG, is kept if it is given.
# In the list of functions there must be spin_inner, spin_middle and
# spin_outer, and no other_inner.
#
# Reads SYSCAP (the command) and SYSCAP_TEST_BIN.
set -eu
skip() { echo "skip: $*"; exit 77; }
[ -z "${SYSCAP_SANITIZE:-}" ] ||
	skip "programs do not start with a sanitized library preloaded"
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

cp "$SYSCAP_TEST_BIN/record_sample_spin" "$work/program"
"$SYSCAP" record -q -o "$work/capture.syscap" --sample -- \
	"$work/program" 400 "$work/half" "$work/go" &
recorder=$!
while [ ! -e "$work/half" ]; do
	kill -0 $recorder
	sleep 0.1
done
cp "$SYSCAP_TEST_BIN/record_sample_other" "$work/rebuilt"
mv "$work/rebuilt" "$work/program"
: >"$work/go"
wait $recorder
rm "$work/program"
"$SYSCAP_TEST_BIN/record_sample_show" "$work/capture.syscap" spin_outer 95

# The server says which number it took when it is ready.
mkfifo "$work/number"
Xvfb -displayfd 3 -screen 0 1280x900x24 3>"$work/number" 2>/dev/null &
server=$!
read -r number <"$work/number"
mkdir -m 700 "$work/run"
export DISPLAY=":$number" GDK_BACKEND=x11 GSETTINGS_BACKEND=memory
export HOME="$work" XDG_RUNTIME_DIR="$work/run"
dbus-run-session -- sysprof "$work/capture.syscap" >"$work/log" 2>&1 &
viewer=$!

# Until what it shows stays the same, and is more than one colour.
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
[ "$size" -ge 10000 ] || { cat "$work/log"; echo "it shows nothing"; exit 1; }
[ $# -eq 0 ] || cp "$work/shot.png" "$1"
echo "a picture of $size bytes"
