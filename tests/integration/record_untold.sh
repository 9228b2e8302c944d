#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_untold.sh - a sampled process that ends before its first tick makes no
# arena and is in no capture, unless it has forked or made threads.
#
# One tick per second of processor time, so that short processes get no tick.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

said() {
	"$SYSCAP" dump --type=process short.syscap | grep -c "cmdline \"$1" || :
}

"$SYSCAP" record -q --sample=1,cpu -o short.syscap -- sh -c '
	for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done
	sh -c "(exit 0); exit 0" forks
	"$@"
	exit 0' sh "$SYSCAP_TEST_BIN/thread_names"
"$SYSCAP" check short.syscap
[ "$(said '/bin/true"')" = 0 ] || {
	echo "FAIL: processes without a tick handed over an arena"
	exit 1
}
[ "$(said 'sh -c (exit 0)')" = 1 ] || {
	echo "FAIL: who forks is not told of"
	exit 1
}
[ "$(said "$SYSCAP_TEST_BIN/thread_names")" = 1 ] || {
	echo "FAIL: who makes threads is not told of"
	exit 1
}
