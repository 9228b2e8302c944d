#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_boxed.sh - a program that is killed for system calls that it does not
# make itself lives under each of the preloaded library's roles, and all of them;
# what could not be recorded is counted.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
program=$SYSCAP_TEST_BIN/record_boxed
n=100000

fail() {
	echo "$*"
	exit 1
}

status=0
"$program" 10 || status=$?
if [ $status = 77 ]; then
	echo "a filter of system calls can't be had"
	exit 77
fi
[ $status = 0 ] || fail "by itself: $status"

# lives OPTION... - recorded to boxed.syscap
lives() {
	rm -f boxed.syscap*
	timeout 100 "$SYSCAP" record -q --no-symbols -o boxed.syscap "$@" -- \
		"$program" $n 2>err || fail "$*: $?: $(cat err)"
	"$SYSCAP" check boxed.syscap >/dev/null
}

# number NAME - the first of that name of `stat --json`
number() {
	"$SYSCAP" stat --json boxed.syscap | tr -d ' \n' |
		sed "s/.*\"$1\":{*\"*[a-z]*\"*:*\\([0-9]*\\).*/\\1/"
}

lives --io=1us,waits
lives --stalls=5ms,all
lives --logs
# By wall time its waits return EINTR (docs/sampling.md)
lives --sample=1000
lives --memory=512K,mmap
# A ring that is full in the box
lives --memory --ring-kib=64
seen=$(number allocations)
[ "$seen" -ge $((2 * n)) ] || fail "of the first thread $seen blocks"
[ "$(number frames)" -ge $n ] || fail "of the second nothing is counted"
lives --memory=mmap --io=1us,waits --stalls=5ms,all --logs --sample --stderr \
	--counters
