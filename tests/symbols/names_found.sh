#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# names_found.sh RECORD_SELF - functions whose names begin with "$" are named, and
# names come from the cache of debuginfod's clients.
set -eu
: "${SYSCAP:?names the binary to test}"
record_self=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "failed: $*"; exit 1; }
for tool in objcopy readelf strip; do
	command -v $tool >/dev/null || { echo "skip: there is no $tool"; exit 77; }
done
unset DEBUGINFOD_CACHE_PATH SYSCAP_DEBUG_DIRS XDG_CACHE_HOME
HOME=$work
export HOME

# named WANTED - the program's functions in the capture
named() {
	"$SYSCAP" symbolize -q --force -o named.syscap plain.syscap
	"$SYSCAP" files named.syscap __symbols__ -o - >symbols
	grep -aqF -- "$1" symbols
}

cp "$record_self" prog
./prog plain.syscap >wanted
name=$(sed -n 1p wanted | cut -d' ' -f1)
[ -n "$name" ] || fail "no name in $(cat wanted)"
named "$name" || fail "not named: $name"
objcopy --redefine-sym "$name=\$s4demo7${name}yyF" prog dollar
./dollar plain.syscap >wanted
named "\$s4demo7${name}yyF" || fail "no name with a dollar"

objcopy --only-keep-debug prog prog.debug
strip -o stripped prog
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
[ -n "$id" ] || { echo "skip: programs have no build-id here"; exit 77; }
./stripped plain.syscap >wanted
! named "$name" || fail "named without a debug file"
mkdir -p cache/$id other/debuginfod_client/$id .cache/debuginfod_client/$id
cp prog.debug cache/$id/debuginfo
(DEBUGINFOD_CACHE_PATH=$work/cache && export DEBUGINFOD_CACHE_PATH &&
	named "$name") || fail "not by DEBUGINFOD_CACHE_PATH"
(SYSCAP_DEBUG_DIRS=$work/cache && export SYSCAP_DEBUG_DIRS &&
	named "$name") || fail "not by SYSCAP_DEBUG_DIRS"
! named "$name" || fail "named without the cache"
mv cache/$id/debuginfo other/debuginfod_client/$id
(XDG_CACHE_HOME=$work/other && export XDG_CACHE_HOME && named "$name") ||
	fail "not by XDG_CACHE_HOME"
mv other/debuginfod_client/$id/debuginfo .cache/debuginfod_client/$id
named "$name" || fail "not by HOME"
