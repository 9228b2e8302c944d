#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# gtk4_blocked.sh - the examples of docs/collectors.md: --stalls finds a GTK 4
# program's button that reads for 700 ms, with stack and path; --io finds a save
# by fsync() on the main thread.
set -eu
: "${SYSCAP:?}" "${CC:?}"
here=$(cd "$(dirname "$0")" && pwd)
skip() {
	echo "skipped: $*"
	exit 77
}
command -v xvfb-run >/dev/null || skip "there is no xvfb-run"
command -v xauth >/dev/null || skip "there is no xauth"
pkg-config --exists gtk4 2>/dev/null || skip "there is no gtk4 (libgtk-4-dev)"
dir=$(mktemp -d)
dir=$(cd "$dir" && pwd -P)
trap 'rm -rf "$dir"' EXIT
mkdir -m 700 "$dir/run"
export HOME="$dir" XDG_RUNTIME_DIR="$dir/run" GDK_BACKEND=x11
export GSK_RENDERER=cairo
# shellcheck disable=SC2046
$CC -O2 -g -rdynamic -o "$dir/app" $(pkg-config --cflags gtk4) \
	"$here/gtk4_blocked.c" $(pkg-config --libs gtk4)

fail() {
	echo "$*"
	cat "$dir/seen"
	exit 1
}

record() {
	timeout 150 xvfb-run -a "$SYSCAP" record -q -o "$dir/app.syscap" "$@" ||
		{ : >"$dir/seen"; fail "$*: $?"; }
}

mkfifo "$dir/settings"
record --io --stalls -- "$dir/app" read "$dir/settings"
"$SYSCAP" stat --mark loop/stall --slowest 1 "$dir/app.syscap" >"$dir/seen"
grep -q '^ *[7-9][0-9][0-9]\.[0-9]* ms .* loop  *stall \|^ *[0-9.]* s .* loop  *stall ' \
	"$dir/seen" || fail "no stall of 700 ms"
[ -z "${SHOW:-}" ] || cat "$dir/seen"
# A busy machine makes other stalls longer
"$SYSCAP" stat --mark loop/stall --of stalled --all "$dir/app.syscap" >"$dir/seen"
grep -q ' read_in_a_button ' "$dir/seen" || fail "no stack of the stall"
[ -z "${SHOW:-}" ] || cat "$dir/seen"
"$SYSCAP" stat --mark io-main/read --slowest 1000 --of blocked --all \
	"$dir/app.syscap" >"$dir/seen"
grep -q " io-main  *read  *$dir/settings" "$dir/seen" || fail "no path"
grep -q ' read_in_a_button ' "$dir/seen" || fail "no stack of the call"
[ -z "${SHOW:-}" ] || cat "$dir/seen"

record --io=1us -- "$dir/app" fsync "$dir/document"
"$SYSCAP" stat --mark io-main/fsync --slowest 1 --of blocked --all \
	"$dir/app.syscap" >"$dir/seen"
grep -q " io-main  *fsync  *$dir/document" "$dir/seen" || fail "no fsync"
grep -q ' save_in_a_button ' "$dir/seen" || fail "no stack of fsync()"
