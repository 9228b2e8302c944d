#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cat/damaged.sh - damage is reported, and the rest is joined.
. "$(dirname "$0")/../transcript.sh"
cp ./*.syscap "$work"
cd "$work"
: >empty
run cat -o joined torn.syscap everything.syscap
run stat joined
run cat -q -o joined unfit.syscap zero_length.syscap odd_length.syscap
run check joined
run cat -o joined missing empty everything.syscap
run check joined
rm joined
run cat -o joined missing empty
ls joined >>"$work/transcript" 2>&1 || :
finish
