#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# symbolize/files.sh - missing files are reported; nothing else is lost.
. "$(dirname "$0")/../transcript.sh"
cp ./*.syscap "$work"
cd "$work"
mkdir root
cp everything.syscap before
# A capture of another machine, whose files are missing here.
run symbolize --root root -o written everything.syscap
cmp before everything.syscap
run symbolize --root root torn.syscap
run symbolize --root root unfit.syscap
run check unfit.syscap
# A link stays a link, and permissions do not change.
cp everything.syscap target.syscap
ln -s target.syscap link.syscap
chmod 640 target.syscap
run symbolize -q --root root link.syscap
ls -l target.syscap | cut -c1-10 >>"$work/transcript"
[ -h link.syscap ]
# No temporary file is left.
ls -A | grep '^\.' >>"$work/transcript" || :
finish
