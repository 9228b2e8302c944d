#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cat/notes.sh - changes are reported as notes, unless -q is given.
. "$(dirname "$0")/../transcript.sh"
cp everything.syscap "$work"
cd "$work"
# The first file chunk of the second capture begins with another character.  The
# path of this file has a control character, which must not be printed on a
# terminal.
sed 's|/proc/x|/pr\x1bc/x|g' everything.syscap >first.syscap
sed 's|/proc/x|/pr\x1bc/x|g; s/abcd/Abcd/' everything.syscap >second.syscap
run cat -o joined first.syscap second.syscap
run dump --type file_chunk joined
run cat -q -o joined first.syscap second.syscap
# The middle byte of the header's time, and of its end.
cp everything.syscap later.syscap
printf '\001' | dd of=later.syscap bs=1 seek=78 conv=notrunc 2>"$work/dd"
printf '\001' | dd of=later.syscap bs=1 seek=86 conv=notrunc 2>"$work/dd"
run cat -o joined everything.syscap later.syscap
finish
