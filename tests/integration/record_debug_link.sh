#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_debug_link.sh - names of a stripped program, which links to a file with
# its symbols in its own directory, or in .debug there.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
for tool in objcopy strip; do
	command -v $tool >/dev/null || { echo "SKIP: there is no $tool"; exit 77; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# is_named WHAT
is_named() {
	"$SYSCAP" record -q --force --sample -o spin.syscap -- ./spin 300
	"$SYSCAP" stat --json spin.syscap | grep -q spin_inner || {
		"$SYSCAP" stat spin.syscap
		echo "$1: the function has no name"
		exit 1
	}
}

cp "$SYSCAP_TEST_BIN/record_sample_spin" spin
objcopy --only-keep-debug spin other-name.debug
strip spin
objcopy --add-gnu-debuglink=other-name.debug spin
is_named "a file beside it"
mkdir .debug
mv other-name.debug .debug
is_named "a file in .debug"

# A link to the program itself gives no names, except from .debug.
mv .debug/other-name.debug .debug/spin
objcopy --remove-section .gnu_debuglink spin
objcopy --add-gnu-debuglink=.debug/spin spin
is_named "a file of the program's own name"
