#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# sysprof_gui.sh [PICTURE] - Sysprof opens a recording of a program that was
# rebuilt and then deleted during the recording, without a crash.
#
# A person has to check the window: PICTURE, if given, keeps it as a PNG. In the
# list of functions there must be spin_inner, spin_middle and spin_outer, and no
# other_inner.
#
# Reads SYSCAP (the command) and SYSCAP_TEST_BIN.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/sysprof_window.sh"
[ -z "${SYSCAP_SANITIZE:-}" ] ||
	skip "programs do not start with a sanitized library preloaded"

cp "$SYSCAP_TEST_BIN/record_sample_spin" "$work/program"
"$SYSCAP" record -q -o "$work/capture.syscap" --sample -- \
	"$work/program" 400 "$work/half" "$work/go" &
recorder=$!
while [ ! -e "$work/half" ]; do
	kill -0 $recorder
	sleep 0.1
done
cp "$SYSCAP_TEST_BIN/record_sample_other" "$work/rebuilt"
mv "$work/rebuilt" "$work/program"
: >"$work/go"
wait $recorder
rm "$work/program"
"$SYSCAP_TEST_BIN/record_sample_show" "$work/capture.syscap" spin_outer 95

show_in_sysprof "$work/capture.syscap" "${1:-}"
