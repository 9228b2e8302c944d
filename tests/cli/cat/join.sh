#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cat/join.sh - captures of both byte orders become one valid capture.
. "$(dirname "$0")/../transcript.sh"
cp everything.syscap everything_big.syscap numbers.syscap header_only.syscap \
	foreign.syscap "$work"
cd "$work"
run cat -o joined everything.syscap everything_big.syscap
run check joined
run dump joined
run cat --output=joined numbers.syscap header_only.syscap
run stat joined
run cat -o joined foreign.syscap
cmp foreign.syscap joined >"$work/cmp" || :
echo "foreign.syscap differs in $(cmp -l foreign.syscap joined | wc -l) bytes" \
	>>"$work/transcript"
finish
