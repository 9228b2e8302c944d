#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cat/usage.sh - help, wrong use, and refused outputs.
. "$(dirname "$0")/../transcript.sh"
cp everything.syscap numbers.syscap "$work"
cd "$work"
echo 'not a capture' >text
ln everything.syscap link
cp everything.syscap before
run cat --help
run cat
run cat everything.syscap
run cat -o joined
run cat -o joined --nonsense everything.syscap
run cat -o everything.syscap numbers.syscap everything.syscap
run cat -o link everything.syscap
cmp before everything.syscap
run cat -o text everything.syscap
cat text >>"$work/transcript"
run cat -o text --force everything.syscap
run check text
run cat -o missing/joined everything.syscap
run cat -o . everything.syscap
cp numbers.syscap joined
run cat -o joined everything.syscap
run check joined
run cat -o /dev/full everything.syscap
# An output that cannot be completed is removed, also under a name that existed.
(ulimit -f 8; run cat -o none numbers.syscap)
cp everything.syscap replaced
ln replaced other
ln -s named link.syscap
cp everything.syscap named
(ulimit -f 8; run cat -o replaced numbers.syscap)
(ulimit -f 8; run cat -o link.syscap numbers.syscap)
wc -c none replaced other named >>"$work/transcript" 2>&1 || :
finish
