#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check/many.sh - of more than 50 problems 50 are shown, the rest counted.
. "$(dirname "$0")/../transcript.sh"
cp unfit.syscap "$work/many.syscap"
for _ in 1 2 3; do
	tail -c +257 unfit.syscap >>"$work/many.syscap"
done
cd "$work"
run check many.syscap
run check --json many.syscap
shown=$("$SYSCAP" check many.syscap | grep -c ': at byte ') || :
echo "shown: $shown" >>"$work/transcript"
finish
