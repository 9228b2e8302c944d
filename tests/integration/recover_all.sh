#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# recover_all.sh - `syscap recover --all` moves the frames of dead processes
# into their captures and removes their ring files.  The command does not change
# files in use, files of others, links, and files that only look like ring
# files; and discards frames only on request.
#
# Reads SYSCAP (the command), SYSCAP_TEST_BIN (test_integration_self_children).
set -eu
[ -w /dev/shm ] || { echo "skip: there is no /dev/shm"; exit 77; }
work=$(mktemp -d)
memory=$(mktemp -d /dev/shm/syscap-test-XXXXXX)
living=
trap 'kill -9 $living 2>/dev/null || :; rm -rf "$work" "$memory"' EXIT
cd "$work"
unset SYSPROF_CONTROL_FD SYSPROF_TRACE_FD SYSCAP_OUTPUT
export XDG_RUNTIME_DIR="$memory" LC_ALL=C
rings=$memory/syscap
program=$SYSCAP_TEST_BIN/test_integration_self_children

fail() {
	echo "$*"
	cat out err 2>/dev/null || :
	exit 1
}
# child NAME CAPTURE
child() {
	SYSCAP_TEST_CHILD=$1 SYSCAP_TEST_ARG=ready SYSCAP_OUTPUT=$work/$2 \
		exec "$program" child
}
# expect STATUS ARGUMENTS...: `syscap recover --all` must end with STATUS
expect() {
	wanted=$1
	shift
	status=0
	"$SYSCAP" recover --all "$@" >out 2>err || status=$?
	[ "$status" = "$wanted" ] || fail "--all $* ends with $status"
}
says() {
	grep -q -- "$1" out err || fail "nobody says: $1"
}
count() {
	find "$1" -name '*.rings' -type f | wc -l
}
wait_for() {
	n=0
	while [ ! -s "$1" ]; do
		sleep 0.05
		n=$((n + 1))
		[ $n -lt 600 ] || fail "$1 stays empty"
	done
}

# 24 processes that end by _exit(), and a living one, without drain threads that
# would already have written their events
n=0
while [ $n -lt 24 ]; do
	(export SYSCAP_THREAD=0; child emits_and_ends ended$n)
	n=$((n + 1))
done
[ "$(count "$rings")" = 24 ] || fail "the number of ring files is not 24"
(export SYSCAP_THREAD=0; child emits_and_waits live) >ready &
living=$!
wait_for ready

# Foreign files
echo "precious" >"$work/victim"
ln -s "$work/victim" "$rings/link.rings"
cp "$work/victim" "$rings/text.rings"
head -c 70000 /dev/zero >"$rings/zeros.rings"
echo x | dd of="$rings/zeros.rings" bs=1 seek=32772 conv=notrunc 2>/dev/null
mkfifo "$rings/fifo.rings"
others=0
some=$(find "$rings" -name '*-*.rings' | head -n 1)
if cp "$some" "$rings/other.rings" && chown 65534 "$rings/other.rings" 2>/dev/null
then
	others=1
else
	rm "$rings/other.rings"
fi
ls -l "$rings/text.rings" "$rings/zeros.rings" >before

expect 0 --dry-run "$rings"
says "24 ring files would be recovered, 1 in use not changed"
[ "$(count "$rings")" = $((24 + 1 + 2 + others)) ] || fail "--dry-run removes"
expect 0 "$rings"
says "24 ring files recovered, 1 in use not changed"
[ $others = 0 ] || says "1 of other users not changed"
[ "$(count "$rings")" = $((1 + 2 + others)) ] || fail "not all are removed"
ls -l "$rings/text.rings" "$rings/zeros.rings" >after
cmp before after
[ -h "$rings/link.rings" ] && [ -p "$rings/fifo.rings" ]
[ "$(cat "$work/victim")" = precious ]
for capture in "$work"/ended*; do
	n=$("$SYSCAP" dump --type mark "$capture" | grep -c ' name "n" ') || :
	[ "$n" = 3 ] || fail "$capture has $n of 3 marks"
done

# After the end of the running process, the frames are moved into its capture
kill -9 "$living"
wait "$living" 2>/dev/null || :
living=
expect 0 -q "$rings"
[ ! -s out ] || fail "-q is not quiet"
[ "$("$SYSCAP" dump --type mark live | grep -c ' name "n" ')" = 3 ]
expect 0 "$rings"
says "^0 ring files recovered"

# Without its capture, a ring file is kept, except on request
rm ready
(export SYSCAP_THREAD=0; child emits_and_waits gone) >ready &
living=$!
wait_for ready
kill -9 "$living"
wait "$living" 2>/dev/null || :
living=
rm gone
expect 1 "$rings"
says "kept the ring file with [1-9][0-9]* frames of a deleted capture"
says "1 without a capture kept"
[ ! -e gone ] || fail "an unexpected capture was made"
expect 0 --dry-run --discard "$rings"
says "would be removed"
expect 0 --discard "$rings"
says "frames removed"
says "1 without a capture removed"
[ "$(count "$rings")" = $((2 + others)) ] || fail "it is still there"

expect 1 "$work/nowhere"

# The default directory of ring files
cat >usual.sh <<'EOF'
mount -t tmpfs none /dev/shm
export XDG_RUNTIME_DIR=/dev/shm/run
mkdir /dev/shm/run
one() {
	SYSCAP_THREAD=0 SYSCAP_TEST_CHILD=emits_and_ends SYSCAP_OUTPUT="$PWD/$1" "$program" child
}
one in_runtime_dir
(XDG_RUNTIME_DIR=$PWD && one in_shm)
[ "$(find /dev/shm -name '*.rings' | wc -l)" = 2 ]
"$SYSCAP" recover --all | grep -q '^2 ring files recovered$'
[ "$(find /dev/shm -name '*.rings' | wc -l)" = 0 ]
EOF
if unshare -m true 2>/dev/null; then
	program=$program unshare -m sh -eu usual.sh || fail "not the usual places"
else
	echo "note: without a mount namespace the usual places are not tried"
fi
