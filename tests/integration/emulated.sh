#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# emulated.sh - a program that records itself keeps its threads' events under
# valgrind and qemu-user, which refuse mremap() with an old length of 0.
#
#	emulated.sh valgrind|qemu-user
#
# Reads SYSCAP (the command), SYSCAP_TEST_BIN (test_integration_self_mremap).
set -eu
case $1 in
valgrind) emulator="valgrind -q --error-exitcode=9" ;;
qemu-user) emulator=qemu-$(uname -m) ;;
esac
command -v "${emulator%% *}" >/dev/null || {
	echo "skip: there is no ${emulator%% *}"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset SYSPROF_CONTROL_FD SYSPROF_TRACE_FD SYSCAP_OUTPUT
program=$SYSCAP_TEST_BIN/test_integration_self_mremap
export SYSCAP_TEST_CHILD=emits_in_threads SYSCAP_TEST_ARG=

# keeps FILE: FILE has the 100 marks of five threads
keeps() {
	"$SYSCAP" check "$1"
	n=$("$SYSCAP" dump --type mark "$1" | grep -c ' name "n" ') || :
	[ "$n" = 500 ] || { echo "$1 has $n of 500 marks"; exit 1; }
}

SYSCAP_OUTPUT=out $emulator "$program" child
keeps out
SYSPROF_TRACE_FD=3 $emulator "$program" child 3<>trace
keeps trace
