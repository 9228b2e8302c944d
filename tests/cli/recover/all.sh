#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# recover/all.sh - output of `syscap recover --all` for each file in the given
# directories.  The command discards no frames without a request, and continues
# after failures.
. "$(dirname "$0")/../transcript.sh"
: "${SYSCAP_TEST_BIN:?}"
cd "$work"
mkdir whole broken gone
for folder in whole broken gone; do
	"$SYSCAP_TEST_BIN/make_orphan" $folder
done
"$SYSCAP_TEST_BIN/make_orphan" broken broken
rm gone/a.syscap
cp gone/a.rings gone/b.rings # files come in the order of their names
echo none >whole/none.rings

run recover --all --dry-run whole gone
[ -e whole/a.rings ] && [ -e gone/a.rings ]
run recover --all nowhere broken whole gone
[ -e broken/a.rings ] && [ ! -e whole/a.rings ] && [ -e gone/a.rings ]
[ ! -e gone/a.syscap ]
run check whole/a.syscap
run recover --all -n --discard gone
[ -e gone/a.rings ]
run recover --all --discard gone
[ ! -e gone/a.rings ] && [ ! -e gone/a.syscap ]
run recover --all whole gone
[ "$(cat whole/none.rings)" = none ]

"$SYSCAP_TEST_BIN/make_orphan" gone
rm gone/a.syscap
run recover --all -q --discard gone
[ ! -e gone/a.rings ]
# The directory's name, and offsets that depend on its length
sed -e "s|$work|WORK|g" -e 's/byte [0-9][0-9]*/byte N/' \
	"$work/transcript" >"$work/same"
mv "$work/same" "$work/transcript"
finish
