# SPDX-License-Identifier: BSD-2-Clause
# sysprof_window.sh - sourced: show_in_sysprof CAPTURE [PICTURE] opens CAPTURE
# in Sysprof's window, on its own display, until the window does not change;
# PICTURE, if given, keeps it as a PNG.  $work is a temporary directory.
skip() { echo "skip: $*"; exit 77; }
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

show_in_sysprof() {
	# The server writes its display number when it is ready.
	mkfifo "$work/number"
	Xvfb -displayfd 3 -screen 0 1280x900x24 3>"$work/number" 2>/dev/null &
	server=$!
	read -r number <"$work/number"
	mkdir -m 700 "$work/run"
	export DISPLAY=":$number" GDK_BACKEND=x11 GSETTINGS_BACKEND=memory
	export HOME="$work" XDG_RUNTIME_DIR="$work/run"
	dbus-run-session -- sysprof "$1" >"$work/log" 2>&1 &
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
	[ "$size" -ge 10000 ] || { cat "$work/log"; echo "it shows nothing"; exit 1; }
	[ -z "${2:-}" ] || cp "$work/shot.png" "$2"
	echo "a picture of $size bytes"
}
