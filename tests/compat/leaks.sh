#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# leaks.sh [whole] - leaks of `syscap record --memory` equal valgrind's memory
# in use at exit: the same number of blocks and bytes in ten programs and more;
# and by function in a program that leaks on purpose.  Without "whole" only
# every sixth of those programs, from a random one on.
set -eu
: "${SYSCAP:?}" "${SYSCAP_SOURCE:?}" "${CC:?}"
skip() {
	echo "skipped: $*"
	exit 77
}
command -v valgrind >/dev/null || skip "there is no valgrind"
command -v python3 >/dev/null || skip "there is no python3"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
n=0 bad=0 met=0 every=6 least=2
from=$(($(od -An -N2 -tu2 /dev/urandom) % every))
[ "${1:-}" != whole ] || { every=1 from=0 least=10; }

# Programs that copy their environment need the same environment
alone() {
	env -i PATH="$PATH" LC_ALL=C HOME="$dir" "$@"
}

# equal PROGRAM ARGUMENT... - compares, if PROGRAM is installed and recordable
equal() {
	command -v "$1" >/dev/null || return 0
	met=$((met + 1))
	[ $((met % every)) = $from ] || return 0
	rm -f seen.syscap* log
	alone valgrind --run-libc-freeres=no --run-cxx-freeres=no \
		--trace-children=no --log-file=log "$@" >/dev/null 2>&1 || true
	alone "$SYSCAP" record -q --no-symbols --memory -o seen.syscap -- \
		"$@" >/dev/null 2>&1 || true
	wanted=$(sed -n 's/.* in use at exit: \(.*\) bytes in \(.*\) blocks.*/\1 \2/p' \
		log | tr -d ,)
	[ -n "$wanted" ] || { echo "$1: valgrind says nothing"; return 0; }
	seen=$("$SYSCAP" stat --json seen.syscap | python3 -c '
import json, sys
heap = json.load(sys.stdin)["heap"]
print(heap["leaked_bytes"], heap["leaked"])')
	n=$((n + 1))
	echo "$1: $seen"
	[ "$seen" = "$wanted" ] || {
		echo "... and valgrind: $wanted"
		bad=$((bad + 1))
	}
}

seq 4000 | sed 's/.*/line & of some text/' >text
mkdir -p tree/a/b tree/c
cp text tree/a/b/one && cp text tree/c/two
equal ls -lR tree
equal cat text
equal sort -r text
equal grep -c '7.*of' text
equal sed -n '/9/s/line/row/p' text
equal mawk '{ n[$2 % 100]++ } END { for (i in n) print i, n[i] }' text
equal find tree -type f -name 'o*'
equal tar cf tree.tar tree
equal xz -0 -kc text
equal diff text tree/c/two
equal uniq -c text
equal tail -n 5 text
equal cut -d' ' -f2 text
equal od -c text
equal bc -q /dev/null
equal jq -n '[range(1000)] | add'
equal openssl dgst -sha256 text
equal sqlite3 :memory: 'select 1'
[ $bad = 0 ] || exit 1
[ $n -ge $least ] || skip "only $n programs could be compared"

# By function
$CC -O1 -g -rdynamic -o server "$SYSCAP_SOURCE/tests/compat/leaking_server.c"
alone valgrind --leak-check=full --show-leak-kinds=all --log-file=log.%p \
	./server "$dir/v" 300 >out
"$SYSCAP" record -q --memory -o seen.syscap -- ./server "$dir/s" 300 >again
cmp out again
wanted=$(cat log.* | tr -d , | sed -n \
	'/blocks are.* lost\|still reachable in loss/ { N; N
	s/^[^ ]* *\([0-9]*\) .*open_session.*/\1/p }' | awk '{ n += $1 } END { print n }')
seen=$("$SYSCAP" stat --of leaked --json seen.syscap | python3 -c '
import json, sys
hot = json.load(sys.stdin)["hot"]["functions"]
print(sum(f["self"] for f in hot if f["name"] == "open_session"))')
echo "open_session: $seen"
[ "$seen" = "$wanted" ] || { echo "... and valgrind: $wanted"; exit 1; }
