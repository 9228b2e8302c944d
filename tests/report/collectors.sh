#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# collectors.sh - the examples of docs/collectors.md on the page of `syscap
# report`.  A button reads for 700 ms, and a save calls fsync() on the main
# thread.  A list makes temporary allocations, and a server leaks under load.
# With PICTURES=docs/pictures it makes the pictures there.
set -eu
: "${SYSCAP:?}" "${SYSCAP_SOURCE:?}" "${CC:?}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/needs.sh"
command -v xvfb-run >/dev/null || skip "there is no xvfb-run"
command -v xauth >/dev/null || skip "there is no xauth"
pkg-config --exists gtk4 || skip "there is no gtk4 (libgtk-4-dev)"
dir=$(mktemp -d)
dir=$(cd "$dir" && pwd -P)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir -m 700 run slow
export HOME="$dir" XDG_RUNTIME_DIR="$dir/run" GDK_BACKEND=x11
export GSK_RENDERER=cairo
stories=$here/../compat

fail() {
	echo "$*"
	exit 1
}

# build PROGRAM LIBRARY...
build() {
	program=$1
	shift
	# shellcheck disable=SC2046
	$CC -O1 -g -rdynamic -o "$program" \
		${1:+$(pkg-config --cflags "$@")} "$stories/$program.c" \
		${1:+$(pkg-config --libs "$@")}
}
build gtk4_blocked gtk4
build gtk4_list gtk4
build leaking_server

# record NAME OPTION... -- COMMAND - to NAME.syscap and NAME.html
record() {
	name=$1
	shift
	timeout 150 xvfb-run -a "$SYSCAP" record -q -o "$name.syscap" "$@" \
		>"$name.out" 2>err || fail "$name: $(cat err)"
	"$SYSCAP" report -o "$name.html" "$name.syscap" 2>err ||
		fail "$name: $(cat err)"
}

# shows HEIGHT PICTURE NAME STATE TEXT...
shows() {
	height=$1 picture=$2 name=$3
	shift 3
	node "$here/collectors.mjs" "$height" "$picture" "$dir/$name.html" "$@"
}

# A stall with its stacks; the blocking call with its file.  A busy machine
# makes other stalls longer.
mkfifo slow/settings
slowest=${PICTURES:+&slowest=1}
record stall --io --stalls --sample=wall -- \
	./gtk4_blocked read "$dir/slow/settings"
shows 865 stall-stack stall \
	"view=flame&mark=loop%2Fstall&search=read_in_a_button$slowest" \
	loop/stall 2%
shows 600 stall-call stall \
	'view=marks&show=table&search=/stall|main.read/' \
	io-main/read slow/settings Sampled

record fsync --io=1us -- ./gtk4_blocked fsync "$dir/slow/document"
shows 600 fsync-call fsync \
	'view=marks&show=table&search=fsync' \
	io-main/fsync slow/document

record list --memory -- ./gtk4_list
shows 985 list-temporary list 'view=flame&of=temporary&search=format_message' \
	allocations 50%

record leak --memory -- ./leaking_server "$dir/socket" 2000
shows 620 leak-leaked leak 'view=flame&of=leaked&search=open_session' \
	allocations 95%
# To the byte the size that the server reports
read -r n _ size _ <leak.out
"$SYSCAP" stat --of leaked --json leak.syscap >leak.json
python3 - "$((n * size))" <<-'END'
	import json, sys
	hot = json.load(open("leak.json"))["hot"]["functions"]
	seen = [f["total"] for f in hot if f["name"] == "open_session"]
	if seen != [int(sys.argv[1])]:
	    sys.exit(f"leaked by open_session: {seen}, not {sys.argv[1]}")
END
