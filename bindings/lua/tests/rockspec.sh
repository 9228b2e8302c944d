#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# rockspec.sh VERSION INTERPRETER INCLUDE LIBRARY - test of `luarocks make` with
# the library below an unusual prefix: this Lua loads the module.
#
# The script reads SYSCAP (the command) and SYSCAP_SOURCE.
set -eu
version=$1 interpreter=$2 include=$3 library=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LUA_PATH LUA_CPATH SYSPROF_CONTROL_FD SYSPROF_TRACE_FD SYSCAP_OUTPUT

command -v luarocks >/dev/null || {
	echo "skip: there is no luarocks (Debian: luarocks)"
	exit 77
}
mkdir -p "$work/prefix/lib" "$work/home"
cp -r "$SYSCAP_SOURCE/include" "$work/prefix"
cp "$library" "$work/prefix/lib"
cp -r "$SYSCAP_SOURCE/bindings/lua" "$work/source"
cd "$work/source"
HOME=$work/home luarocks --lua-version "$version" make --tree "$work/tree" \
	SYSCAP_DIR="$work/prefix" LUA_INCDIR="$include"
grep -q "Redistribution and use" \
	"$work/tree/lib/luarocks/rocks-$version/syscap/scm-1/doc/LICENSE"

cat >"$work/program.lua" <<'END'
local syscap = require "syscap"
syscap.instant("rock", "made", _VERSION)
END
cd "$work"
LUA_PATH="$work/tree/share/lua/$version/?.lua" \
LUA_CPATH="$work/tree/lib/lua/$version/?.so" \
	"$SYSCAP" record -q -o rock.syscap -- "$interpreter" program.lua
"$SYSCAP" dump --type mark rock.syscap | grep made
