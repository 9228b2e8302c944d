#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# consumer.sh WAY [whole] - builds and runs programs that use syscap in one of
# eight ways, compiles each installed header alone, or builds syscap with the
# settings of a distribution (lto) or of a parent project (standard).  lto and
# standard use gcc, clang-14 and clang-19.
#
# Without "whole", FetchContent is the only way that compiles the whole library by
# CMake, with warnings as errors and with -flto.
#
# Reads SYSCAP (the command), SYSCAP_SOURCE and SYSCAP_BINARY (the tree and its
# build), CC, CXX (empty: no compiler), CMAKE.
set -eu
way=$1
form=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# installed: syscap's files, in a prefix that was moved after the installation.
installed() {
	"$CMAKE" --install "$SYSCAP_BINARY" --prefix "$work/first" >"$work/log"
	mv "$work/first" "$work/moved here"
	prefix="$work/moved here"
}

# check PROGRAM...: each runs without and with a recorder, and its marks arrive.
check() {
	for app; do
		[ "$("$app")" = off ]
		[ "$("$SYSCAP" record -o "$work/a.syscap" -- "$app")" = recorded ]
		"$SYSCAP" stat "$work/a.syscap" >"$work/stat"
		grep -q started "$work/stat" || { cat "$work/stat"; exit 1; }
		rm "$work/a.syscap"
		echo "ok $way: $(basename "$app")"
	done
}

# project OPTION...: the CMake project in project/.
project() {
	"$CMAKE" -S "$here/project" -B "$work/build" -DCMAKE_C_COMPILER="$CC" \
		"-DANALYSE=$SYSCAP_SOURCE/examples/06_analyse.c" \
		${CXX:+-DWITH_CXX=ON "-DCMAKE_CXX_COMPILER=$CXX"} \
		"$@" >"$work/log" || { cat "$work/log"; exit 1; }
	"$CMAKE" --build "$work/build" --parallel 2 >"$work/log" ||
		{ cat "$work/log"; exit 1; }
	check "$work/build/app" ${CXX:+"$work/build/app_cxx"}
	# The project has no build type, so assert() is active
	result=0
	"$work/build/asserts" 2>"$work/log" || result=$?
	[ $result = 3 ] || { echo "assert() of the project is gone"; exit 1; }
	"$SYSCAP" record -o "$work/b.syscap" -- "$work/build/app" >"$work/log"
	[ "$("$work/build/count" "$work/b.syscap")" -ge 2 ]
}

# analyses PROGRAM: the example is built outside of the tree, and gives the same
# results as the command.
analyses() {
	SYSCAP_SAMPLE=1000 "$SYSCAP" record -q --force -o "$work/c.syscap" -- \
		"$SYSCAP_TEST_BIN/profile_work" 100
	"$1" "$work/c.syscap" >"$work/out"
	grep -q ' took .* and .* % of everything$' "$work/out" ||
		{ cat "$work/out"; exit 1; }
	[ "$(wc -l <"$work/out")" = "$("$SYSCAP" stat --json "$work/c.syscap" |
		grep -o '"median_ns"' | wc -l)" ]
	echo "ok $way: analyse"
}

# by_hand FLAGS LIBRARIES: a compiler without a build system.
by_hand() {
	eval "$CC -std=c11 $1 -o \"$work/app\" \"$here/app.c\" $2"
	[ -z "$CXX" ] ||
		eval "$CXX -std=c++11 $1 -x c++ \"$here/app.c\" -x none \
			-o \"$work/app_cxx\" $2"
	check "$work/app" ${CXX:+"$work/app_cxx"}
}

# exports LIBRARY: the exports of LIBRARY equal the declarations of the headers.
exports() {
	nm -D --defined-only "$1" | awk '$2 != "A" {
		sub(/@.*/, "", $3); print $3 }' | sort >"$work/exported"
	for header in syscap.h syscap/sampler.h \
		syscap/system_counters.h syscap/runtime.h; do
		echo "#include <$header>"
	done | "$CC" -I"$prefix/include" -E -P -x c - |
		grep -o 'syscap_[a-z0-9_]*(' | tr -d '(' | sort -u \
		>"$work/declared"
	[ "$(wc -l <"$work/declared")" -gt 40 ]
	diff "$work/declared" "$work/exported" ||
		{ echo "< declared, > exported"; exit 1; }
	echo "ok shared: exports what is declared"
}

# records HOW COMMAND...: COMMAND records itself, and all its events are there.
records() {
	how=$1
	shift
	"$@" "$work/$how.syscap" || { echo "$how: it does not run"; exit 1; }
	"$SYSCAP" check "$work/$how.syscap" >"$work/log" ||
		{ cat "$work/log"; exit 1; }
	"$SYSCAP" dump "$work/$how.syscap" >"$work/dump"
	for word in "by $how" loaded; do
		grep -q "$word" "$work/dump" || { cat "$work/dump"; exit 1; }
	done
	echo "ok shared: loaded by $how"
}

shared() {
	# Until 1.0 each minor version may have another interface
	library=$(find "$prefix" -name 'libsyscap.so.0.1')
	[ -n "$library" ] || { echo "skip: it is not built"; exit 77; }
	exports "$library"
	by_hand "-DSYSCAP_NO_INLINE -I\"$prefix/include\"" \
		"\"$library\" -Wl,-rpath,\"${library%/*}\""
	"$CC" -Wall -Wextra -Werror -I"$prefix/include" "$here/loads.c" \
		-o "$work/loads" -ldl
	records C "$work/loads" "$library"
	grep -q loads "$work/dump" || { cat "$work/dump"; exit 1; }
	if command -v python3 >/dev/null; then
		records Python python3 "$here/loads.py" "$library"
	else
		echo "left out: there is no python3"
	fi
}

headers() {
	cd "$prefix/include"
	# Headers for GLib need its flags: see bindings.gi.install
	find . -name '*.h' ! -path './syscap-glib-1/*' |
	while read -r header; do
		# a declaration: some headers only define macros
		printf '#include "%s"\nextern int alone;\n' "$header" \
			>"$work/alone.c"
		strictly 99 11 "$work/alone.c"
		strictly 11 17 "$work/alone.c"
		echo "ok $header"
	done
	strictly 99 11 "$here/app.c"
	strictly 11 14 "$here/app.c"
	strictly 17 20 "$here/app.c"
	strictly 2x 2b "$here/app.c"
}

# disabled: with SYSCAP_DISABLE, the program needs no library, and evaluates no
# argument.
disabled() {
	for language in "$CC -std=c11" "${CXX:+$CXX -x c++ -std=c++11}" \
		"clang -std=c17"; do
		command -v ${language%% *} >/dev/null || continue
		for level in -O0 -O2; do
			# shellcheck disable=SC2086 # several words
			$language $level -DSYSCAP_DISABLE -I"$prefix/include" $strict \
				"$here/disabled.c" -o "$work/disabled"
			[ "$("$work/disabled")" = disabled ]
			! nm "$work/disabled" | grep -E ' [TUDB] (syc|syscap)_'
			echo "ok $language $level"
		done
	done
}

# strictly C C++ FILE: no warning of compilers for these standards.  Without
# -isystem, as compilers are silent about headers of the system.
strictly() {
	# glibc defines _Static_assert for ISO C99, but not for GNU C99
	for standard in "c$1" "gnu$1"; do
		"$CC" -std="$standard" $strict -I. -fsyntax-only "$3"
		! command -v clang >/dev/null ||
			clang -std="$standard" $everything -I. -fsyntax-only "$3"
	done
	[ -z "$CXX" ] || "$CXX" -std="c++$2" $strict -Wold-style-cast -I. \
		-fsyntax-only -x c++ "$3"
	! command -v clang >/dev/null ||
		clang++ -std="c++$2" $everything -I. -fsyntax-only -x c++ "$3"
}
strict='-Wall -Wextra -Wpedantic -Wconversion -Wundef -Wshadow -Werror'
# All warnings of clang except those about taste, about other standards, and
# about names and comments in the style of GNOME's headers
everything='-Weverything -Werror -Wno-unknown-warning-option'
for warning in c++98-compat c++98-compat-pedantic pre-c11-compat \
	pre-c2x-compat pre-c++17-compat declaration-after-statement \
	documentation documentation-unknown-command nested-anon-types padded \
	reserved-identifier reserved-macro-identifier unsafe-buffer-usage \
	used-but-marked-unused zero-as-null-pointer-constant; do
	everything="$everything -Wno-$warning"
done

# compilers: the compilers for standard and lto
compilers() {
	for compiler in gcc clang-14 clang-19; do
		command -v "$compiler" ||
			echo "left out: there is no $compiler" >&2
	done
}

# build TREE BUILD TARGET OPTION...
build() {
	tree=$1
	into=$2
	target=$3
	shift 3
	{
		"$CMAKE" -S "$tree" -B "$into" "$@" &&
			"$CMAKE" --build "$into" --parallel 2 --target "$target"
	} >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}

# A parent project that sets the language of everything below it.
standard() {
	mkdir "$work/parent"
	cp "$here/app.c" "$work/parent"
	cat >"$work/parent/CMakeLists.txt" <<-END
		cmake_minimum_required(VERSION 3.21)
		project(parent LANGUAGES C)
		add_subdirectory("$SYSCAP_SOURCE" syscap)
		add_executable(app app.c)
		target_link_libraries(app PRIVATE syscap::syscap)
	END
	compilers | while read -r compiler; do
		for version in 11 23; do
			build "$work/parent" "$work/$version" all \
				-DCMAKE_C_COMPILER="$compiler" \
				-DCMAKE_C_STANDARD=$version -DCMAKE_C_FLAGS=-Werror \
				-DSYSCAP_TOOLS=ON
			check "$work/$version/app"
			rm -r "${work:?}/$version"
		done
	done
}

has_lto() { # COMPILER
	echo 'int main(void) { return 0; }' |
		"$1" -flto -x c - -o "$work/a.out" ||
		{ echo "left out: $1 can't link -flto" >&2; return 1; }
}

# All installed files, built like a distribution's package
lto() {
	compilers | while read -r compiler; do
		has_lto "$compiler" || continue
		build "$SYSCAP_SOURCE" "$work/lto" all -DCMAKE_BUILD_TYPE=None \
			-DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS=-flto \
			-DSYSCAP_TESTS=OFF -DSYSCAP_BINDINGS=OFF \
			-DSYSCAP_TOOLS=ON
		built=$work/lto/bin/syscap
		"$built" record -q -o "$work/a.syscap" -- "$work/lto/bin/01_mark"
		"$built" check "$work/a.syscap"
		"$built" report -o "$work/a.html" "$work/a.syscap"
		"$built" flamegraph -o "$work/a.svg" \
			"$SYSCAP_SOURCE/tests/fuzz/corpus/reader/everything.syscap"
		rm -r "$work/lto" "$work"/a.*
		echo "ok lto: $compiler"
	done
}

# in_meson OPTION...: a Meson project, with the rest of its file on standard
# input, that finds syscap in subprojects/.
in_meson() {
	mkdir -p "$work/parent/subprojects"
	ln -s "$SYSCAP_SOURCE" "$work/parent/subprojects/syscap"
	cp "$here/app.c" "$here/app_dropin.c" "$work/parent"
	{
		echo "project('parent', 'c', meson_version: '>= 0.60')"
		cat
	} >"$work/parent/meson.build"
	{
		CC=$CC meson setup "$@" --wrap-mode=nodownload \
			"$work/build" "$work/parent" &&
			ninja -C "$work/build" ${meson_target:-}
	} >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}

# link_in_meson: Meson would compile each file of CMake's archive.  Links the
# program with CMake's archive, by Meson's command.
link_in_meson() {
	ninja -C "$work/build" -t commands app >"$work/commands"
	grep -o ' -c .*/src/.*\.c$' "$work/commands" | wc -l >"$work/compiled"
	ar t "$SYSCAP_BINARY/src/libsyscap.a" | wc -l |
		diff "$work/compiled" - || { echo "< Meson, > CMake"; exit 1; }
	cp "$SYSCAP_BINARY/src/libsyscap.a" "$work/build/subprojects/syscap"
	(cd "$work/build" && eval "$(tail -n 1 "$work/commands")")
}

needs_meson() {
	for tool in meson ninja; do
		command -v $tool >/dev/null ||
			{ echo "skip: there is no $tool"; exit 77; }
	done
}

# Meson, as GNOME's projects use it: options of GNOME's subproject, and warnings
# as errors.
by_meson() {
	needs_meson
	version=$(sed -n 's/^project(syscap VERSION \([0-9.]*\).*/\1/p' \
		"$SYSCAP_SOURCE/CMakeLists.txt")
	dropin=$(sed -n 's/^Version: //p' \
		"$SYSCAP_SOURCE/src/sysprof_compat/sysprof-capture-4.pc.in")
	in_meson -Dwerror=true -Doptimization=2 -Ddebug=false <<-END
		syscap = dependency('syscap', version: '$version',
		  fallback: ['syscap', 'libsyscap_dep'])
		executable('app', 'app.c', dependencies: syscap)
		capture = dependency('sysprof-capture-4', version: '$dropin',
		  fallback: ['syscap', 'libsysprof_capture_dep'],
		  default_options: ['examples=false', 'gtk=false', 'help=false',
		    'libsysprof=false', 'sysprofd=none', 'tests=false',
		    'tools=false'])
		executable('app_dropin', 'app_dropin.c', dependencies: capture)
	END
	check "$work/build/app" "$work/build/app_dropin"
	grep -q '^CMAKE_BUILD_TYPE:.*=RelWithDebInfo$' \
		"$SYSCAP_BINARY/CMakeCache.txt" || return 0
	for name in syscap sysprof-capture-4; do
		sizes_of "$SYSCAP_BINARY/src/lib$name.a" >"$work/cmake"
		sizes_of "$(find "$work/build" -name "lib$name.a")" >"$work/meson"
		diff "$work/cmake" "$work/meson" ||
			{ echo "$name: < CMake, > Meson"; exit 1; }
	done
	echo "ok $way: the archives have the code of CMake's archives"
}

# sizes_of ARCHIVE: the size of each file's code; the builds name files otherwise
sizes_of() {
	size "$1" | awk 'NR > 1 { print $1 }' | sort -n
}

case $way in
meson)
	by_meson
	;;
cmake_subproject)
	needs_meson
	# Without "whole", compiles only the program: the library's files are
	# compiled by the ways meson and FetchContent
	meson_target=
	[ -n "$form" ] || meson_target=app.p/app.c.o
	in_meson <<-END
		cmake = import('cmake')
		options = cmake.subproject_options()
		foreach part : ['BINDINGS', 'DROPIN', 'EXAMPLES', 'SHARED',
		    'TESTS', 'TOOLS']
		  options.add_cmake_defines({'SYSCAP_' + part: false})
		endforeach
		syscap = cmake.subproject('syscap',
		  options: options).dependency('syscap')
		executable('app', 'app.c', dependencies: syscap)
	END
	[ -n "$form" ] || link_in_meson
	check "$work/build/app"
	;;
find_package)
	installed
	project "-DCMAKE_PREFIX_PATH=$prefix"
	analyses "$work/build/analyse"
	;;
FetchContent)
	project "-DSYSCAP_TREE=$SYSCAP_SOURCE" -DFETCH_CONTENT=ON \
		-DCMAKE_C_FLAGS="-Werror $(has_lto "$CC" && echo -flto)" \
		-DCMAKE_C_STANDARD="$(shuf -n 1 -e 11 23)"
	;;
add_subdirectory)
	project "-DSYSCAP_TREE=$SYSCAP_SOURCE" -DCMAKE_C_FLAGS=-Werror \
		-DCMAKE_C_STANDARD="$(shuf -n 1 -e 11 23)"
	;;
pkg-config)
	command -v pkg-config >/dev/null ||
		{ echo "skip: there is no pkg-config"; exit 77; }
	installed
	PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name syscap.pc)")
	export PKG_CONFIG_PATH
	pkg-config --libs syscap | grep -q nodelete
	by_hand "$(pkg-config --cflags syscap)" "$(pkg-config --libs syscap)"
	eval "$CC -std=c11 -Wall -Wextra -Werror \
		$(pkg-config --cflags syscap-profile) -o \"$work/analyse\" \
		\"$SYSCAP_SOURCE/examples/06_analyse.c\" \
		$(pkg-config --libs syscap-profile)"
	analyses "$work/analyse"
	;;
plain)
	installed
	cp "$(find "$prefix" -name libsyscap.a)" "$prefix/include" -r "$work"
	by_hand "-I\"$work/include\"" "\"$work/libsyscap.a\" -pthread"
	;;
shared)
	installed
	shared
	;;
headers)
	installed
	headers
	disabled
	;;
lto | standard)
	$way
	;;
*)
	echo "consumer.sh: no such way: $way" >&2
	exit 2
	;;
esac
