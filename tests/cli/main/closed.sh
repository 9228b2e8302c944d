#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# main/closed.sh - if standard streams are closed, output for a stream goes into
# no other file.
set -eu
: "${SYSCAP:?names the binary to test}"
cd "$(dirname "$0")/../../fuzz/corpus/reader"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$SYSCAP" export -f folded -o "$work/open" everything.syscap 2>"$work/said"
grep -q 'cannot hold' "$work/said"
"$SYSCAP" export -f folded -o "$work/closed" everything.syscap 2>&-
cmp "$work/open" "$work/closed"
status=0
"$SYSCAP" stat everything.syscap >&- 2>"$work/said" || status=$?
[ "$status" = 1 ]
grep -q 'cannot write the output' "$work/said"

# Commands write a capture to the path of standard output, not its descriptor.
refuses() {
	status=0
	"$SYSCAP" "$@" >&- 2>"$work/said" || status=$?
	[ "$status" = 1 ]
	grep -q 'cannot write the output' "$work/said"
}
echo 'main 1' >"$work/stacks"
refuses import -f folded "$work/stacks"
refuses cat -o - everything.syscap
