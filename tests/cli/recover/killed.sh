#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# recover/killed.sh - commands read a killed process's ring file together with
# its capture, and report that; recover moves the frames into the capture.
. "$(dirname "$0")/../transcript.sh"
: "${SYSCAP_TEST_BIN:?}"
cd "$work"
"$SYSCAP_TEST_BIN/make_orphan" "$work"
run check a.syscap
run stat --json a.syscap
run dump --type mark a.syscap
run cat -o joined.syscap a.syscap
run check joined.syscap
run recover -n a.syscap
run recover a.syscap
[ ! -e a.rings ]
run check a.syscap
run recover a.syscap joined.syscap
"$SYSCAP_TEST_BIN/make_orphan" "$work"
run recover -q a.rings
run recover -q a.syscap
# The capture is missing, and then its ring file.
"$SYSCAP_TEST_BIN/make_orphan" "$work"
rm a.syscap
run recover --dry-run a.rings
run recover a.rings
run check a.syscap
[ ! -e a.rings ]
# A copy has no ring file of its own.
"$SYSCAP_TEST_BIN/make_orphan" "$work"
cp a.syscap copy.syscap
"$SYSCAP" cat -o joined.syscap copy.syscap 2>/dev/null
"$SYSCAP" stat joined.syscap | grep -E '^  (incomplete|lost)' >>transcript
run recover copy.syscap
run check copy.syscap
"$SYSCAP" stat copy.syscap 2>&1 | grep -E '^  (incomplete|lost)' >>transcript
run recover copy.syscap
# Unreadable files stay.
"$SYSCAP_TEST_BIN/make_orphan" "$work" broken
run check a.syscap
run recover a.syscap
[ -e a.rings ]
run recover a.syscap
# The directory's name, and offsets that depend on its length
sed -e "s|$work|WORK|g" -e 's/byte [0-9][0-9]*/byte N/' \
	-e '/^stderr/!s/^ *[0-9][0-9]*  *//' "$work/transcript" >"$work/same"
mv "$work/same" "$work/transcript"
finish
