#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# lines.sh RECORD_SELF - the reference's reader finds the table of names in a
# capture with and without source lines, and extracts the table of lines.
set -eu
if [ -z "${REF_FILE:-}" ]; then
	echo "skip: there is no sysprof-capture-4"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$1" plain.syscap >names
"$SYSCAP" symbolize -q -o named.syscap plain.syscap
if ! "$SYSCAP" symbolize -q --lines -o lined.syscap plain.syscap 2>err; then
	grep -q libdw err
	echo "skip: $(cat err)"
	exit 77
fi
"$SYSCAP" cat -q -o joined.syscap named.syscap lined.syscap
"$REF_FILE" named.syscap __symbols__ >wanted
"$SYSCAP" files lined.syscap __lines__ -o lines
[ -s wanted ] && [ -s lines ]
for capture in lined joined; do
	"$REF_FILE" $capture.syscap __symbols__ | cmp - wanted
	"$REF_FILE" $capture.syscap __lines__ | cmp - lines
done
