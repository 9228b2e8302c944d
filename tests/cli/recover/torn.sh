#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# recover/torn.sh - half a frame at the end is cut off.  Files with other
# damage, and other files, are unchanged.
. "$(dirname "$0")/../transcript.sh"
cp ./*.syscap "$work"
mkdir "$work/before"
cp ./*.syscap "$work/before"
cd "$work"
run recover -n torn.syscap torn_content.syscap
cmp torn.syscap before/torn.syscap
run recover torn.syscap torn_content.syscap
run check torn.syscap
run recover torn.syscap
run recover -q everything.syscap
run recover zero_length.syscap odd_length.syscap missing.syscap
cmp zero_length.syscap before/zero_length.syscap
cmp odd_length.syscap before/odd_length.syscap
cmp everything.syscap before/everything.syscap
run recover "$tests/cli/recover/torn.sh" .
echo >empty
run recover empty
: >nothing
head -c 100 everything.syscap >short
run recover nothing short
sed "s|$tests|TESTS|" transcript >same
mv same transcript
finish
