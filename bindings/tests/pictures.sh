#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# pictures.sh BUILD [LANGUAGE]... - maker of docs/pictures/LANGUAGE.png, for the
# bindings' READMEs.  Records each language's larger example, and takes a
# picture of its page.  No test: a person checks the pictures before a commit.
#
# BUILD is a build directory with all bindings.  PICTURES: the output directory,
# instead of docs/pictures.
set -eu
[ $# -gt 0 ] || { echo "usage: pictures.sh BUILD [LANGUAGE]..." >&2; exit 2; }
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- cpp gi python node rust lua
here=$(cd "$(dirname "$0")" && pwd)
bindings=$here/..
export SYSCAP_SOURCE="$bindings/.." SYSCAP="$build/bin/syscap"
# shellcheck source=../../tests/report/needs.sh
. "$SYSCAP_SOURCE/tests/report/needs.sh"
export PICTURES="${PICTURES:-$SYSCAP_SOURCE/docs/pictures}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset SYSPROF_CONTROL_FD SYSPROF_TRACE_FD SYSCAP_OUTPUT

# record_example LANGUAGE, as LANGUAGE.syscap, here: paths of scripts contain
# little of this machine
record_example() {
	name=$1
	under=
	case $name in
	cpp)
		set -- "$build/bindings/cpp/syscap-game"
		;;
	gi)
		under='xvfb-run -a'
		gi=$build/bindings/gi
		set -- env LD_LIBRARY_PATH="$gi" GI_TYPELIB_PATH="$gi" \
			GJS_PATH="$gi/gjs" GDK_BACKEND=x11 GSK_RENDERER=cairo \
			GTK_A11Y=none gjs -m "$bindings/gi/examples/viewer.js"
		;;
	python)
		version=$(python3 -c \
			'import platform; print(platform.python_version())')
		set -- env PYTHONDONTWRITEBYTECODE=1 \
			PYTHONPATH="$build/bindings/python/packages/$version" \
			python3 "$bindings/python/examples/pipeline.py"
		;;
	node)
		# Next to the package, "syscap" would be the sources
		cp "$bindings/node/example/thumbnails.js" "$dir"
		set -- env NODE_PATH="$build/bindings/node/node_modules" \
			node -r syscap/v8 "$dir/thumbnails.js"
		;;
	rust)
		set -- "$build/bindings/rust/target/release/examples/mill" 1000
		;;
	lua)
		lua=$build/bindings/lua/5.4
		cp "$bindings/lua/examples/scheduler.lua" "$dir"
		set -- env LUA_PATH="$lua/?.lua" LUA_CPATH="$lua/?.so" \
			lua5.4 scheduler.lua
		;;
	*)
		echo "pictures.sh: what is $name?" >&2
		exit 2
		;;
	esac
	SYSCAP_SAMPLE=1000 $under "$SYSCAP" record -q \
		-o "$dir/$name.syscap" -- "$@"
}

# view_of LANGUAGE: the view, as in the page's address
view_of() {
	case $1 in
	cpp | rust) echo 'view=flame' ;;
	gi) echo 'view=marks&show=names' ;;
	node | lua) echo 'view=functions' ;;
	python) echo 'view=marks&show=threads' ;;
	esac
}

cd "$dir"
for language; do
	record_example "$language"
	"$SYSCAP" report -o "$dir/$language.html" "$dir/$language.syscap"
	height=620
	[ "$language" != gi ] || height=1000
	node "$SYSCAP_SOURCE/tests/report/collectors.mjs" $height "$language" \
		"$dir/$language.html" "$(view_of "$language")"
done
