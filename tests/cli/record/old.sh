#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record/old.sh - an existing capture with the new one's name is kept.
set -eu
: "${SYSCAP:?names the binary to test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# Root may write read-only files.
unprivileged=
[ "$(id -u)" != 0 ] || unprivileged='setpriv --bounding-set -dac_override'

first=$("$SYSCAP" record -o a -- true 2>&1)
case $first in *'.old'*) echo "told of none: $first"; exit 1 ;; esac
[ ! -e a.old ]
cp a before

"$SYSCAP" record -o a -- true 2>err
grep -q '^syscap record: renamed the existing a to a.old$' err
cmp a.old before
"$SYSCAP" check a >/dev/null

# the earlier old capture is gone, and -q is quiet
cp a before
"$SYSCAP" record -q -o a -- true 2>err
[ ! -s err ]
cmp a.old before

# a link stays a link, and its target is kept
mkdir there
mv a there/b
ln -s there/b link
cp there/b before
"$SYSCAP" record -q -o link -- true
[ -L link ]
cmp there/b.old before

# --force keeps no old capture
rm a.old
cp there/b a
"$SYSCAP" record -q --force -o a -- true
[ ! -e a.old ]

# another file with the backup's name is not overwritten
echo mine >a.old
cp a before
status=0
"$SYSCAP" record -q -o a -- true 2>err || status=$?
[ $status = 125 ]
grep -q 'which is not a capture; --force' err
cmp a before
grep -q mine a.old

# the message suggests --force only if it can help: not for an unwritable file
chmod a-w a
status=0
$unprivileged "$SYSCAP" record -q -o a -- true 2>err || status=$?
[ $status = 125 ]
grep -q 'a.old, which is not a capture$' err || { cat err; exit 1; }
chmod u+w a

# a file that is not a capture is not changed at all
echo text >b
status=0
"$SYSCAP" record -q -o b -- true 2>err || status=$?
[ $status = 125 ]
grep -q 'exists and is not a capture' err
[ "$(cat b)" = text ]
[ ! -e b.old ]

# a file that the shell opened is not changed, either
cp a c
"$SYSCAP" record -q -o /dev/stdout -- true 1<>c
[ ! -e c.old ]
