#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# symbolize/usage.sh - help, wrong use, and refused outputs.
. "$(dirname "$0")/../transcript.sh"
cp header_only.syscap everything_big.syscap "$work"
cd "$work"
echo 'not a capture' >text
run symbolize --help
run symbolize
run symbolize header_only.syscap everything_big.syscap
run symbolize --nonsense header_only.syscap
run symbolize missing.syscap
run symbolize text
run symbolize everything_big.syscap
run symbolize -o text header_only.syscap
cat text >>"$work/transcript"
run symbolize -o missing/written header_only.syscap
run symbolize -o . header_only.syscap
run symbolize -o /dev/null header_only.syscap
run symbolize -o written header_only.syscap
cmp written header_only.syscap
finish
