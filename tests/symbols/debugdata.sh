#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# debugdata.sh NAME_OF RECORD_SELF - symbols of a stripped file are found in its
# .gnu_debugdata, and in its linked debug file.
set -eu
name_of=$1 program=$2
for tool in nm objcopy strip xz; do
	command -v "$tool" >/dev/null || { echo "skip: no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "failed: $*"; exit 1; }

cp "$program" whole
nm whole | awk '$3 == "record_alpha" { print $1 }' >address
[ -s address ] || { echo "skip: the program has no symbols"; exit 77; }
strip -o bare whole
"$name_of" "$work/bare" <address >names 2>/dev/null
grep -q ' -$' names || fail "a stripped file has names: $(cat names)"

# Like Fedora: only the symbol table, compressed.
objcopy --only-keep-debug whole inner
objcopy -S --remove-section .gdb_index --remove-section .comment \
	--keep-symbol=record_alpha inner mini
xz mini
cp bare packed
objcopy --add-section .gnu_debugdata=mini.xz packed
"$name_of" packed <address >names 2>/dev/null
if grep -q ' -$' names; then
	# A build with SYC_HAVE_LZMA has to read .gnu_debugdata.
	[ "${SYSCAP_HAS_LZMA:-}" = 1 ] && fail "no names in .gnu_debugdata"
	echo "note: built without liblzma"
else
	grep -q ' record_alpha$' names || fail "other names: $(cat names)"
fi

# Like Debian.  The build-ids are equal, so the link's name is enough.
objcopy --only-keep-debug whole bare.debug
objcopy --add-gnu-debuglink=bare.debug bare
"$name_of" "$work/bare" <address >names 2>/dev/null
grep -q ' record_alpha$' names || fail "no names by debug link: $(cat names)"
