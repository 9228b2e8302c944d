#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# clang.sh COMMANDS [whole] - check of src/ by clang, with gcc's options except
# the project's warnings, and as C11 without extensions, which a parent project
# may require.  COMMANDS is the build's compile_commands.json.  Without "whole",
# clang compiles a quarter of the files, at random.
set -eu
commands=$1
command -v clang >/dev/null || { echo "skip: there is no clang"; exit 77; }
[ -z "${SYSCAP_SANITIZE:-}" ] || { echo "skip: once is enough"; exit 77; }
[ -f "$commands" ] || {
	echo "skip: there is no $commands (CMAKE_EXPORT_COMPILE_COMMANDS)"
	exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
source=$(cd "$(dirname "$0")/../../src" && pwd)
# Check the syntax of each file once, even if several products have the file
sed -n 's/^ *"command": "\(.*\)",$/\1/p' "$commands" |
	sed -n 's/\\\(.\)/\1/g; s/^.*\/\(cc\|gcc\|clang\|c99\)[-0-9.]* /clang /
		s/ -o [^ ]* -c / -std=c11 -fsyntax-only /p' |
	awk -v source="$source/" 'index($NF, source) == 1 && !seen[$NF]++' >"$dir/todo"
n=$(wc -l <"$dir/todo")
[ "$n" -gt 300 ] || { echo "only $n files were found"; exit 1; }
[ "${2:-}" = whole ] || {
	shuf -n $((n / 4)) "$dir/todo" >"$dir/chosen"
	mv "$dir/chosen" "$dir/todo"
}
xargs -P "$(nproc)" -d '\n' -n 1 sh -c <"$dir/todo" >"$dir/said" 2>&1 &&
	[ ! -s "$dir/said" ] || { cat "$dir/said"; exit 1; }
echo "$(wc -l <"$dir/todo") files of $n"
