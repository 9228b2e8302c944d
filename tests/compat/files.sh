#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# files.sh - the reference's reader finds every embedded file of syscap, after
# any other frame: under a recorder, in a process's own file, and joined with
# other captures.
#
# Reads SYSCAP (the command), REF_FILE (ref_file), SYSCAP_TEST_BIN (embeds).
set -eu
if [ -z "${REF_FILE:-}" ]; then
	echo "skip: there is no sysprof-capture-4"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Even and odd numbers of chunks of 7,908 bytes
: >empty
echo small >small
i=0
while [ $i -lt 9000 ]; do
	echo "line $i of a file"
	i=$((i + 1))
done >large
head -c 7908 large >one
head -c 20000 large >three
files="small one empty three large"

# found CAPTURE: CAPTURE has all files unchanged
found() {
	for file in $files; do
		"$REF_FILE" "$1" "$file" >got
		cmp got "$file" || { echo "$1: $file is another"; exit 1; }
	done
}

# The words are meant to split: the names have no spaces.
# shellcheck disable=SC2086
"$SYSCAP" record -o recorded.syscap -- "$SYSCAP_TEST_BIN/embeds" $files
found recorded.syscap
# shellcheck disable=SC2086
SYSCAP_OUTPUT=$work/own.syscap "$SYSCAP_TEST_BIN/embeds" $files
found own.syscap
SYSCAP_OUTPUT=$work/other.syscap "$SYSCAP_TEST_BIN/embeds" /dev/null
"$SYSCAP" cat -o joined.syscap other.syscap own.syscap
found joined.syscap
for capture in recorded own joined; do
	"$SYSCAP" check $capture.syscap
done
