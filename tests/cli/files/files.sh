#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# files/files.sh - embedded files are listed and extracted.
. "$(dirname "$0")/../transcript.sh"
run files everything.syscap
run files --json everything_big.syscap
run files everything.syscap /proc/x -o -
run files everything.syscap /proc/x -o "$work/x"
cat "$work/x" >>"$work/transcript"
echo >>"$work/transcript"
run files everything.syscap /proc/y -o "$work/y"
[ ! -e "$work/y" ]
# two files of one name, one without its end
"$SYSCAP" cat -q -o "$work/two" everything.syscap everything_big.syscap || true
run files "$work/two"
cp everything.syscap "$work/same"
run files "$work/same" /proc/x -o "$work/same"
# a capture that is no input must not be overwritten either
cp everything_big.syscap "$work/other"
ln -s other "$work/link"
run files everything.syscap /proc/x -o "$work/link"
cmp everything_big.syscap "$work/other"
run files everything.syscap /proc/x
run files -o "$work/x" everything.syscap
run files
sed -i "s,$work,WORK,g" "$work/transcript"
finish
