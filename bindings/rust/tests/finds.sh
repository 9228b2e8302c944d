#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# finds.sh - the build script's search for the library by pkg-config, and its
# advice without the library.
#
# The test reads SYSCAP_LIB_DIR, SYSCAP_SOURCE, CARGO.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
script=$SYSCAP_SOURCE/bindings/rust/build.rs
folder=$SYSCAP_LIB_DIR
unset SYSCAP_LIB_DIR PKG_CONFIG_PATH
rustc=$(dirname "$CARGO")/rustc
[ -x "$rustc" ] || rustc=rustc
"$rustc" --edition 2021 "$script" -o "$work/script"
cd "$work"

fail() {
	echo "$1:"
	cat told
	exit 1
}

# says STATUS TEXT [NAME=VALUE]...
says() {
	status=$1
	text=$2
	shift 2
	got=0
	env "$@" ./script >told 2>&1 || got=$?
	[ "$got" = "$status" ] || fail "status $got, not $status"
	grep -Fq -- "$text" told || fail "nothing of '$text'"
}

says 0 "rustc-link-search=native=$folder" SYSCAP_LIB_DIR="$folder"
says 1 "there is no libsyscap.a in $work" SYSCAP_LIB_DIR="$work"
says 1 "cannot run no-such-program" PKG_CONFIG=no-such-program
if command -v pkg-config >/dev/null; then
	mkdir pc old
	printf 'libdir=%s\nName: syscap\nDescription: d\nVersion: 0.1.0\n' \
		"$folder" >pc/syscap.pc
	sed 's/0\.1\.0/0.3.0/' pc/syscap.pc >old/syscap.pc
	says 0 "rustc-link-search=native=$folder" PKG_CONFIG_LIBDIR="$work/pc"
	says 1 "SYSCAP_LIB_DIR" PKG_CONFIG_LIBDIR="$work"
	says 1 "0.3.0" PKG_CONFIG_LIBDIR="$work/old"
fi
