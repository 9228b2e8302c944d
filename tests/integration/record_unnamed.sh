#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_unnamed.sh - where many addresses have no names, `record` says whose
# they are and what to do: a stripped program wants its debug symbols; who was
# killed while the recorder stood still is known to nobody.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
command -v strip >/dev/null || {
	echo "skip: there is no strip"
	exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# says TEXT - the summary does
says() {
	grep -q "of the addresses in stacks have names$1" err || {
		cat err
		echo "FAIL: it does not say '$1'"
		exit 1
	}
}

strip -o stripped "$SYSCAP_TEST_BIN/profile_work"
SYSCAP_SAMPLE=1000 "$SYSCAP" record -o stripped.syscap -- ./stripped 200 2>err
says ': most others are of stripped: install its debug symbols$'

SYSCAP_SAMPLE=1000 "$SYSCAP" record -o named.syscap -- \
	"$SYSCAP_TEST_BIN/profile_work" 200 2>err
says '$'

# Until it has its share of the processor's time, whatever that takes.
cat >killed.sh <<'END'
kill -STOP $PPID
"$@" 100000 &
while [ "$(awk '{ print $14 + $15 }' /proc/$!/stat)" -lt 50 ]; do
	sleep 0.1
done
kill -9 $!
wait $!
kill -CONT $PPID
END
SYSCAP_SAMPLE=1000 "$SYSCAP" record -o killed.syscap -- \
	sh killed.sh "$SYSCAP_TEST_BIN/profile_work" 2>err || [ $? = 0 ]
says ': most others are of no file: '
