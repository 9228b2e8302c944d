#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# consumers.sh DIRECTORY [CONSUMER]... - complete builds of GLib, GJS, GTK 4,
# Pango, libsoup, GtkSourceView and Mutter from Debian's sources, with syscap's
# sysprof-capture-4.pc instead of the reference's.  Runs their own test suites,
# and records GLib, GJS and GTK 4 by `syscap record` and by the system's
# sysprof-cli.
#
# Prints the content of each capture, and one line per check: "ok" or "FAIL".
# Status 1 if a check failed, 77 if the test can't run here.  Without names,
# builds all.  GJS and GTK 4 are built on that GLib, so that one process has
# several copies.  The other projects use the system's libraries, of which GTK
# contains a copy of the reference.  See docs/consumers.md.
#
# DIRECTORY has all files, and a run continues an earlier run. A second run
# relinks the consumers if syscap's archive has changed, and repeats tests and
# recordings. Needs root, to install build dependencies; two hours and 6 GB the
# first time.
#
#	CONSUMERS_LIBRARY=subproject	each project builds syscap by Meson, as its
#					subproject
#	CONSUMERS_LIBRARY=reference	Debian's library instead of ours
#	CONSUMERS_JOBS=N		for make, ninja and tests (2)
#	CONSUMERS_TESTS=no		without their own tests, and of GTK 4
#					only what is recorded
# shellcheck disable=SC2317,SC2086,SC2016,SC2166 # called by name; meant; awk's
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
[ $# -gt 0 ] || { echo "usage: consumers.sh DIRECTORY [CONSUMER]..." >&2; exit 2; }
mkdir -p "$1"
work=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- glib pango libsoup gtksourceview gjs mutter gtk4
library=${CONSUMERS_LIBRARY:-ours}
jobs=${CONSUMERS_JOBS:-2}
tests=true
[ "${CONSUMERS_TESTS:-yes}" = yes ] || tests=false
build=$work/$library
prefix=$work/prefix
captures=$build/captures
export LC_ALL=C.UTF-8 HOME="$work/home"
unset SYSPROF_CONTROL_FD SYSPROF_TRACE_FD GJS_TRACE_FD GJS_ENABLE_PROFILER \
	GJS_DISABLE_JIT SYSCAP_OUTPUT DESTDIR
export SYSCAP=$prefix/bin/syscap REF_COUNT=$work/ref_count

n_checks=0
n_failed=0
say() { printf '\n== %s\n' "$*"; }
# verdict STATUS TEXT
verdict() {
	n_checks=$((n_checks + 1))
	if [ "$1" = 0 ]; then
		echo "ok    $2"
	else
		n_failed=$((n_failed + 1))
		echo "FAIL  $2"
	fi
}
# check TEXT COMMAND...: the command has to succeed
check() {
	local text=$1 status=0
	shift
	"$@" || status=1
	verdict $status "$text"
}
# quietly LOG COMMAND...: prints its output only if it fails
quietly() {
	local log=$work/log/$1
	shift
	"$@" >"$log" 2>&1 || { tail -n 40 "$log"; echo "failed: $*"; exit 1; }
}
skip() { echo "skip: $*"; exit 77; }

# --- the library

build_ours() {
	say "the library"
	# CMake needs one build directory per tree.
	grep -qxs "CMAKE_HOME_DIRECTORY:INTERNAL=$tree" \
		"$work/build/CMakeCache.txt" || rm -rf "$work/build"
	quietly ours-configure cmake -S "$tree" -B "$work/build" \
		-DCMAKE_BUILD_TYPE=RelWithDebInfo \
		-DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
		-DSYSCAP_INSTALL_DROPIN=ON -DSYSCAP_SHARED=OFF -DSYSCAP_TESTS=OFF \
		-DSYSCAP_EXAMPLES=OFF
	quietly ours-build nice cmake --build "$work/build" -j "$jobs"
	quietly ours-install cmake --install "$work/build"
	# Installed headers keep their times from the tree.
	md5sum "$prefix"/include/sysprof-6/*.h >"$work/headers.md5"
	cmp -s "$work/headers.md5" "$work/headers.old" ||
		touch "$prefix"/include/sysprof-6/*.h
	mv "$work/headers.md5" "$work/headers.old"
	# Without syscap's on its path: finds the reference's.
	if PKG_CONFIG_PATH='' pkg-config --exists sysprof-capture-4; then
		# shellcheck disable=SC2046
		cc -O2 -o "$REF_COUNT" "$here/ref_count.c" \
			$(PKG_CONFIG_PATH='' pkg-config --cflags --libs \
				sysprof-capture-4)
	else
		skip "there is no libsysprof-capture-4 to read captures with"
	fi
	pkg_config_path=
	[ "$library" != subproject ] || return 0
	if [ "$library" = ours ]; then
		pkg_config_path=$prefix/lib/pkgconfig
	fi
	PKG_CONFIG_PATH=$pkg_config_path pkg-config --modversion \
		sysprof-capture-4 | sed 's/^/sysprof-capture-4 /'
	archive=$(PKG_CONFIG_PATH=$pkg_config_path pkg-config \
		--variable=libdir sysprof-capture-4)/libsysprof-capture-4.a
	export PKG_CONFIG_PATH=$pkg_config_path
}

# --- the consumers

# build_meson NAME PACKAGE DROP OPTION...
build_meson() {
	local name=$1 package=$2 drop=$3 again ready sum target
	shift 3
	say "$name, built"
	# Tests need more packages
	ready=$work/src/$package.ready
	[ $tests = false ] || ready=$ready-tests
	if [ ! -e "$ready" ]; then
		quietly "$package-source" "$here/consumer_sources.sh" \
			"$work" "$package" "$drop"
		touch "$ready"
	fi
	if [ "$library" = subproject ]; then
		ln -sfn "$tree" "$work/src/$package/subprojects/sysprof"
		set -- --force-fallback-for=sysprof "$@"
	fi
	# An earlier run may have had other options: CONSUMERS_TESTS
	if [ "$*" != "$(cat "$build/$name/syscap.options" 2>/dev/null)" ]; then
		again=
		[ ! -e "$build/$name/build.ninja" ] || again=--reconfigure
		quietly "$name-configure-$library" meson setup $again \
			"$build/$name" "$work/src/$package" \
			--prefix="$build/$name-prefix" \
			--libdir=lib --wrap-mode=nodownload \
			--buildtype=debugoptimized "$@"
		echo "$*" >"$build/$name/syscap.options"
	fi
	# ninja does not check external archives.
	[ "$library" = subproject ] || sum=$(md5sum <"$archive")
	if [ "$library" != subproject ] && [ "$sum" != "$(cat "$build/$name/archive.md5" 2>/dev/null)" ]; then
		for rule in c_LINKER cpp_LINKER; do
			ninja -C "$build/$name" -t targets rule $rule
		done 2>/dev/null | (cd "$build/$name" && xargs -r rm -f)
		echo "$sum" >"$build/$name/archive.md5"
	fi
	target=all
	if [ "$name" = gtk4 ] && [ $tests = false ]; then
		target=demos/widget-factory/gtk4-widget-factory
	fi
	quietly "$name-build-$library" nice -n 10 ninja -C "$build/$name" \
		-j "$jobs" $target
	# Versions of subprojects follow its own version.
	echo "$name $(meson introspect --projectinfo "$build/$name" |
		grep -o '"version": "[^"]*"' | sed -n '1s/.*: //p')"
}

# holds_ours FILE: contains syscap's objects, but exports none of their names
holds_ours() {
	local file=$1 name
	name=$(basename "$file")
	[ "$library" != reference ] || return 0
	nm "$file" >"$work/nm"
	nm -D --defined-only "$file" >"$work/nm-exported"
	check "$name holds our copy ($(grep -c ' [a-zA-Z] syc_' "$work/nm") symbols)" \
		grep -q ' [a-zA-Z] syc_' "$work/nm"
	check "$name exports nothing of it" \
		not grep -E ' _?(sysprof|syscap|sc)_' "$work/nm-exported"
	readelf -d "$file" >"$work/dynamic"
	check "$name cannot be unloaded under our threads" \
		grep -q NODELETE "$work/dynamic"
}
not() { ! "$@"; }

# own_tests NAME COUNT OPTION...: the consumer's own tests, at least COUNT, under
# Xvfb and with their own bus.  Failing tests must be in consumer_failures.txt,
# with a reason.
own_tests() {
	local name=$1 least=$2 log n known unknown
	shift 2
	[ $tests = true ] || return 0
	say "$name, its own tests"
	rm -f "$build/$name"/meson-logs/testlog*.json
	env -u DISPLAY xvfb-run -a -s '-screen 0 1280x1024x24 -noreset' \
		dbus-run-session -- nice meson test -C "$build/$name" \
		--no-rebuild --timeout-multiplier 10 \
		--num-processes "$jobs" "$@" \
		>"$work/log/$name-tests-$library" 2>&1 || true
	# With --setup, its name is a part of the file's
	log=$(echo "$build/$name"/meson-logs/testlog*.json)
	sed -n -E '/^(Ok|Expected Fail|Fail|Unexpected Pass|Skipped|Timeout):/p' \
		"$work/log/$name-tests-$library" | tr -s ' \n' ' '
	echo
	sed -n -E 's/^\{"name": "([^"]*)".*"result": "(FAIL|ERROR|TIMEOUT|INTERRUPT)".*/\1/p' \
		"$log" | sed 's/.* \/ //' | sort >"$work/$name.failed"
	sed -n "s/^$name	\([^	]*\)	.*/\1/p" \
		"$here/consumer_failures.txt" | sort >"$work/$name.known"
	known=$(comm -12 "$work/$name.failed" "$work/$name.known" | wc -l)
	unknown=$(comm -23 "$work/$name.failed" "$work/$name.known" |
		tr '\n' ' ')
	check "$name: its own tests pass but $known that are listed: ${unknown:-none else}" \
		[ -s "$log" -a -z "$unknown" ]
	n=$(grep -c '^{"name"' "$log" || true)
	check "$name: $n tests, at least $least" [ "${n:-0}" -ge "$least" ]
}

build_glib() {
	build_meson glib glib2.0 '' -Dsysprof=enabled -Dtests=$tests
	quietly "glib-install-$library" ninja -C "$build/glib" install
	holds_ours "$build/glib-prefix/lib/libglib-2.0.so.0"
	holds_ours "$build/glib-prefix/lib/libgio-2.0.so.0"
	# shellcheck disable=SC2046
	cc -O1 -o "$build/consumer_glib" "$here/consumer_glib.c" \
		$(PKG_CONFIG_PATH=$build/glib-prefix/lib/pkgconfig:$pkg_config_path \
			pkg-config --cflags --libs gio-2.0)
}
build_glib_once() {
	export PKG_CONFIG_PATH=$pkg_config_path
	[ -n "${has_glib:-}" ] || build_glib
	has_glib=yes
	export PKG_CONFIG_PATH=$build/glib-prefix/lib/pkgconfig:$pkg_config_path
}
build_gjs() {
	build_meson gjs gjs '' -Dprofiler=enabled -Dinstalled_tests=false
	holds_ours "$build/gjs/libgjs.so.0"
}
build_gtk4() {
	build_meson gtk4 gtk4 '^ *lib(gst|av|sw|cups|colord|cloudprov)' \
		-Dsysprof=enabled -Ddemos=true -Dbuild-tests=$tests \
		-Dbuild-examples=$tests -Dintrospection=disabled \
		-Dmedia-gstreamer=disabled -Dprint-cups=disabled
	holds_ours "$build/gtk4/gtk/libgtk-4.so.1"
}

build_pango() {
	build_meson pango pango1.0 '' -Dsysprof=enabled \
		-Dintrospection=disabled -Dgtk_doc=false
	holds_ours "$build/pango/pango/libpangoft2-1.0.so.0"
}
build_libsoup() {
	build_meson libsoup libsoup3 '' -Dsysprof=enabled -Dtests=$tests \
		-Dautobahn=disabled -Dintrospection=disabled -Dvapi=disabled \
		-Dinstalled_tests=false
	holds_ours "$build/libsoup/libsoup/libsoup-3.0.so.0"
}
build_gtksourceview() {
	build_meson gtksourceview gtksourceview5 '' -Dsysprof=true \
		-Dintrospection=disabled -Dvapi=false
	holds_ours "$build/gtksourceview/gtksourceview/libgtksourceview-5.so.0"
}

# --- recording

# A wrapper of the system's sysprof-cli passes an option that sysprof_cli_run.sh
# does not have.
cli_with_gjs() {
	mkdir -p "$work/bin"
	cat >"$work/bin/sysprof-cli" <<-END
		#!/bin/sh
		exec $(command -v sysprof-cli) --gjs "\$@"
	END
	chmod +x "$work/bin/sysprof-cli"
}

# record NAME WHAT PROGRAM...: the program under both recorders, as
# NAME.record.syscap and NAME.cli.syscap.  WHAT: gjs, or empty.  The program's
# output goes to NAME.*.out; its status must be 0, or 124 of timeout.
record() {
	local name=$1 what=$2 status path=$PATH
	shift 2
	cd "$captures"
	status=0
	"$SYSCAP" record -q --force ${what:+--gjs} -o "$name.record.syscap" -- \
		"$@" >"$name.record.out" 2>"$name.record.log" || status=$?
	check "$name under syscap record: status $status" ran $status
	ran $status || tail -n 5 "$name.record.log"
	[ -n "$cli" ] || return 0
	if [ -n "$what" ]; then
		path=$work/bin:$PATH
	fi
	status=0
	# sysprof-cli has its own status; the program's goes to a file.
	# shellcheck disable=SC2016
	PATH=$path "$here/sysprof_cli_run.sh" "$captures/$name.cli.syscap" \
		sh -c 'cd "$1"; log=$2; shift 2; "$@" >$log.out 2>$log.err
			echo $? >$log.status' \
		- "$captures" "$name.cli" "$@" \
		>"$name.cli.log" 2>&1 || status=$?
	status=$(cat "$name.cli.status" 2>/dev/null || echo "none ($status)")
	check "$name under sysprof-cli: status $status" ran "$status"
	ran "$status" || tail -n 5 "$name.cli.log" "$name.cli.err"
}
ran() { [ "$1" = 0 ] || [ "$1" = 124 ]; }

# of NAME: its existing captures
of() {
	local how
	for how in record cli own; do
		[ ! -s "$captures/$1.$how.syscap" ] || echo "$1.$how"
	done
}

# look CAPTURE: prints CAPTURE, and does the common checks
look() {
	local file=$captures/$1.syscap status=0
	say "$1.syscap"
	"$SYSCAP" stat "$file" >"$captures/$1.stat"
	# Omits the machine's counters, which sysprof-cli adds
	sed -n -E '/^  (time|recorded|lost)/p; /^Frames/,/^$/p
		/^Marks/,${ / -1 +[0-9]+ +(int64|double) /d; p; }' \
		"$captures/$1.stat"
	"$SYSCAP" check "$file" >"$captures/$1.check" 2>&1 || status=$?
	grep -v ': note: ' "$captures/$1.check" | tail -n 3
	case $1 in
	*.own)
		# GJS writes no PROCESS frame.
		! grep -v -E 'note: |PROCESS frame$|: 1 problem$' \
			"$captures/$1.check" || status=2
		[ $status = 2 ] || status=0
		;;
	esac
	verdict $status "$1 is sound"
	status=0
	"$here/compare_counts.sh" "$file" >"$captures/$1.reference" || status=$?
	awk '{ n += $2 } END { print "the reference reads " n + 0 " frames" }' \
		"$captures/$1.reference"
	verdict $status "$1: the reference's reader counts the same"
	"$SYSCAP" stat --json "$file" >"$captures/$1.json"
	check "$1: no frame was lost" grep -q '"lost":{"frames":0,"bytes":0,' \
		"$captures/$1.json"
	tr '{' '\n' <"$captures/$1.json" >"$captures/$1.objects"
}

# has_mark CAPTURE GROUP NAME COUNT: checks that CAPTURE has at least COUNT
# marks. GROUP and NAME are regular expressions
has_mark() {
	local n
	n=$(sed -n -E 's/.*"group":"('"$2"')","name":"('"$3"')","count":([0-9]+),.*/\3/p' \
		"$captures/$1.objects" | awk '{ n += $1 } END { print n + 0 }')
	check "$1: mark $2/$3: $n, at least $4" [ "$n" -ge "$4" ]
}
# has_counter CAPTURE CATEGORY NAME COUNT [TYPE]
has_counter() {
	local n
	n=$(sed -n -E 's/.*"category":"('"$2"')","name":"('"$3"')","type":"'"${5:-[a-z0-9]*}"'","count":([0-9]+),.*/\3/p' \
		"$captures/$1.objects" | sort -n | tail -n 1)
	check "$1: counter $2/$3: set ${n:-never, not there}, at least $4 times" \
		[ "${n:--1}" -ge "$4" ]
}
# own_ids CAPTURE CATEGORIES COUNT: checks that CAPTURE has COUNT counters of
# these categories. No id may occur twice, also among the counters of other
# copies and of sysprof-cli
own_ids() {
	local n twice
	n=$(grep -c -E '"id":[0-9]+,"category":"('"$2"')"' \
		"$captures/$1.objects" || true)
	twice=$(sed -n -E 's/.*"id":([0-9]+),"category":.*/\1/p' \
		"$captures/$1.objects" | sort | uniq -d | tr '\n' ' ')
	check "$1: $n counters of $2, at least $3; twice there: ${twice:-no id}" \
		[ "$n" -ge "$3" -a -z "$twice" ]
}
# samples CAPTURE: numbers of samples, into CAPTURE.samples
samples() {
	{
		"$SYSCAP" dump --json --type jitmap "$captures/$1.syscap"
		"$SYSCAP" dump --json --type sample "$captures/$1.syscap"
	} | awk -f "$here/consumer_samples.awk" >"$captures/$1.samples"
	head -n 14 "$captures/$1.samples"
}
# sampled CAPTURE WHAT COUNT: the number WHAT is at least COUNT
sampled() {
	local n
	n=$(sed -n "s/^$2 //p" "$captures/$1.samples")
	check "$1: $2: ${n:-0}, at least $3" [ "${n:-0}" -ge "$3" ]
}

run_glib() {
	local capture what group name count
	own_tests glib 330 --no-suite flaky
	record glib '' env LD_LIBRARY_PATH="$glib" "$build/consumer_glib"
	for capture in $(of glib); do
		look "$capture"
		while read -r what group name count; do
			"has_$what" "$capture" "$group" "$name" "$count"
		done <"$captures/$capture.out"
		own_ids "$capture" GIO 2
	done
}

run_gjs() {
	local capture jit
	local -a gjs=(env LD_LIBRARY_PATH="$build/gjs:$glib"
		GI_TYPELIB_PATH="$build/gjs")
	own_tests gjs 70
	cli_with_gjs
	for jit in '' GJS_DISABLE_JIT=1; do
		record "gjs${jit:+-nojit}" gjs "${gjs[@]}" $jit \
			"$build/gjs/gjs-console" "$here/consumer_busy.js"
	done
	# GJS writes gjs-PID.syscap itself.
	cd "$captures"
	rm -f gjs-*[0-9].syscap
	quietly gjs-own "${gjs[@]}" GJS_ENABLE_PROFILER=1 \
		"$build/gjs/gjs-console" "$here/consumer_busy.js"
	mv gjs-*[0-9].syscap gjs.own.syscap
	for capture in $(of gjs) $(of gjs-nojit); do
		look "$capture"
		samples "$capture"
		sampled "$capture" samples 1000
		# GJS has one unnamed address in each sample.
		check "$capture: all else has a name" awk '{ n[$1] = $2 }
			END { exit n["raw"] > 1.1 * n["samples"] }' \
			"$captures/$capture.samples"
		own_ids "$capture" GJS 18
		has_mark "$capture" GJS '[^"]*' 2
		case $capture in
		*nojit*)
			sampled "$capture" 'in leafHash' 500
			sampled "$capture" 'in driver' 1000
			;;
		esac
	done
	run_deep "${gjs[@]}"
}

# A frame holds 8,187 addresses: a deeper stack must be cut, not refused, as GJS
# would then abort in its handler.
run_deep() {
	local status=0 out=$captures/gjs-deep.out
	say "9,000 deep"
	cd "$captures"
	rm -f gjs-deep.own.syscap
	timeout -k 5 60 "$@" GJS_DISABLE_JIT=1 "$build/gjs/gjs-console" \
		--profile=gjs-deep.own.syscap "$here/consumer_deep.js" \
		>"$out" 2>gjs-deep.log || status=$?
	cat "$out" gjs-deep.log
	check "GJS survives a sample of 9,000 calls (status $status)" \
		[ $status = 0 ]
	check "it came through 9,000" grep -qx 'deep 9000' "$out"
	check "and to its end" grep -qx afterwards "$out"
	[ -s gjs-deep.own.syscap ] || return 0
	look gjs-deep.own
	samples gjs-deep.own
	sampled gjs-deep.own deepest 8187
	sampled gjs-deep.own 'in bottom' 300
	sampled gjs-deep.own 'in afterwards' 100
}

# Starts displays without a screen until the end: X, and Wayland if weston is
# installed
begin_displays() {
	mkdir -p "$work/run"
	chmod 700 "$work/run"
	rm -f "$work/run/display" "$work/run/wayland"
	export XDG_RUNTIME_DIR="$work/run"
	Xvfb -displayfd 3 -screen 0 1280x1024x24 -nolisten tcp \
		3>"$work/run/display" >"$work/log/xvfb" 2>&1 &
	servers=("$!")
	trap 'kill "${servers[@]}"' EXIT
	wayland=
	if command -v weston >/dev/null; then
		wayland=$work/run/wayland
		weston --backend=headless-backend.so --no-config --idle-time=0 \
			--socket=wayland >"$work/log/weston" 2>&1 &
		servers+=("$!")
	fi
	for _ in {1..100}; do
		if [ -s "$work/run/display" ] &&
			[ -z "$wayland" -o -S "$wayland" ]; then
			break
		fi
		sleep 0.1
	done
	[ -s "$work/run/display" ] || { cat "$work/log/xvfb"; exit 1; }
	DISPLAY=:$(cat "$work/run/display")
	export DISPLAY
}

# GTK gets presentation times from a compositor: without one, GTK does not set
# "fps".
run_gtk4() {
	local capture
	local -a factory=(env
		LD_LIBRARY_PATH="$build/gtk4/gtk:$build/gtk4/gdk:$glib"
		GSK_RENDERER=cairo GTK_A11Y=none)
	local command=$build/gtk4/demos/widget-factory/gtk4-widget-factory
	own_tests gtk4 700 --setup=x11 --no-suite flaky --no-suite failing \
		--no-suite wayland_failing --no-suite gsk-compare-broadway
	begin_displays
	record gtk4 '' "${factory[@]}" GDK_BACKEND=x11 timeout 8 "$command"
	if [ -n "$wayland" ]; then
		record gtk4-wayland '' "${factory[@]}" GDK_BACKEND=wayland \
			WAYLAND_DISPLAY="$wayland" timeout 8 "$command"
	else
		echo "left out: a Wayland client, for there is no weston"
	fi
	for capture in $(of gtk4) $(of gtk4-wayland); do
		look "$capture"
		for name in cycle update layout paint; do
			has_mark "$capture" gtk "frameclock $name" 60
		done
		has_mark "$capture" gtk 'widget snapshot' 60
		has_mark "$capture" gtk 'widget render' 60
		has_mark "$capture" gtk 'css validation' 1
		has_mark "$capture" gtk 'icon load \(thread\)' 1
		has_mark "$capture" GLib 'GSource.dispatch' 100
		case $capture in
		*wayland*) has_counter "$capture" gtk fps 60 double ;;
		*) has_counter "$capture" gtk fps 0 double ;;
		esac
		has_counter "$capture" gtk 'frame pixels' 60 int64
		own_ids "$capture" 'gtk|GIO' 6
	done
}

run_pango() { own_tests pango 25; }
run_libsoup() { own_tests libsoup 35; }
run_gtksourceview() { own_tests gtksourceview 25; }

# Tests of Mutter's native backend need libpipewire and a seat.
run_mutter() {
	mkdir -p "$work/run"
	chmod 700 "$work/run"
	if [ $tests = true ]; then
		glib-compile-schemas "$build/mutter/data"
	fi
	XDG_RUNTIME_DIR=$work/run GSETTINGS_SCHEMA_DIR=$build/mutter/data \
		own_tests mutter 190 --no-suite flaky
	check "mutter's profiler is in its library" \
		grep -q meta_dbus_sysprof3_profiler_skeleton_new "$work/nm"
}
build_mutter() {
	# Mutter does not compile with Wayland but without its native backend
	local drop='^ *(zenity|gnome-|gtk-doc|dh-sequence'
	drop+='|lib(canberra|gnome|nvidia|pipewire|wacom|startup|pam))'
	build_meson mutter mutter "$drop" -Dprofiler=true \
		-Dtests=$tests -Dnative_tests=false \
		-Dintrospection=false -Dnative_backend=true -Dudev=true \
		-Dremote_desktop=false -Dsound_player=false \
		-Dlibgnome_desktop=false -Dlibwacom=false \
		-Dwayland_eglstream=false -Dstartup_notification=false
	holds_ours "$build/mutter/cogl/cogl/libmutter-cogl-11.so.0.0.0"
	# Cogl writes the other traces
	nm "$build/mutter/src/libmutter-11.so.0.0.0" >"$work/nm"
}

main() {
	for consumer; do
		case $consumer in
		glib | pango | libsoup | gtksourceview | gjs | mutter | gtk4) ;;
		*) echo "consumers.sh: what is $consumer?" >&2; exit 2 ;;
		esac
	done
	command -v apt-get >/dev/null || skip "Debian's sources require apt"
	[ "$(id -u)" = 0 ] || skip "a private system bus with polkitd needs root"
	for command in cmake meson ninja pkg-config cc c++ Xvfb dpkg-source; do
		command -v $command >/dev/null || skip "there is no $command"
	done
	cli=yes
	for command in sysprof-cli dbus-daemon dbus-run-session; do
		command -v $command >/dev/null || cli=
	done
	[ -n "$cli" ] || echo "left out: sysprof-cli, for it or its bus is missing"
	case $library in
	ours | subproject | reference) ;;
	*) echo "consumers.sh: CONSUMERS_LIBRARY is ours, subproject or reference" \
		>&2; exit 2 ;;
	esac

	mkdir -p "$work/log" "$work/home" "$work/src" "$build" "$captures"
	glib=$build/glib-prefix/lib
	build_ours
	for consumer; do
		case $consumer in
		glib | gjs | gtk4) build_glib_once ;;
		*) export PKG_CONFIG_PATH=$pkg_config_path ;;
		esac
		[ "$consumer" = glib ] || "build_$consumer"
		"run_$consumer"
	done
	say "$n_checks checks, $n_failed failed"
	[ $n_failed = 0 ] || exit 1
	exit 0
}

# main does not return, because this file may change during the run.
main "$@"
