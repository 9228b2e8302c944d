#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cut/usage.sh - help, wrong use, and refused outputs.
. "$(dirname "$0")/../transcript.sh"
cp everything.syscap numbers.syscap "$work"
cd "$work"
cp everything.syscap before
run cut --help
run cut
run cut --from 1ms -o part
run cut -o part everything.syscap
run cut --from 1ms everything.syscap
run cut --from soon -o part everything.syscap
run cut --from 1ms -o part everything.syscap numbers.syscap
run cut --from 1ms -o everything.syscap everything.syscap
cmp before everything.syscap
run cut --from 3600s -o part everything.syscap
run cut --from 0 -o part everything.syscap
run check part
run cut --to 1ms -o /dev/full everything.syscap
# An output that cannot be completed is removed, also under a name that existed.
(ulimit -f 8; run cut --to 3600s -o none numbers.syscap)
cp everything.syscap replaced
ln replaced other
ln -s named link.syscap
cp everything.syscap named
(ulimit -f 8; run cut --to 3600s -o replaced numbers.syscap)
(ulimit -f 8; run cut --to 3600s -o link.syscap numbers.syscap)
wc -c none replaced other named >>"$work/transcript" 2>&1 || :
finish
