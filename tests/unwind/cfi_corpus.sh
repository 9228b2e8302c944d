#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cfi_corpus.sh DIRECTORY FILE... - an input for fuzz_cfi.c from each ELF file:
# three numbers, then .eh_frame_hdr to the end of .eh_frame, as in memory.
#
# This script made tests/fuzz/corpus/cfi from tests/unwind/module.c and
# exceptions.cc for both architectures, and from small libraries of Debian 12.
set -eu
folder=$1
shift
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# section FILE NAME: its address, offset and size
section() {
	readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\] *//' |
		awk -v name="$2" '$1 == name { print $3, $4, $5 }'
}

# u64 HEX: little endian
u64() {
	printf '%016x' "0x$1" | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/\8\7\6\5\4\3\2\1/' |
		xxd -r -p
}

for file; do
	out=$folder/$(basename "$file")
	section "$file" .eh_frame_hdr >"$work/header"
	section "$file" .eh_frame >"$work/frame"
	read -r address offset size <"$work/header"
	read -r frame_address frame_offset frame_size <"$work/frame"
	if [ $((0x$frame_offset - 0x$offset)) != \
		$((0x$frame_address - 0x$address)) ]; then
		echo "$file: the two are not one piece"
		continue
	fi
	# a function in the middle of the table
	n=$(((0x$size - 12) / 8 / 2))
	start=$(od -An -t d4 -j $((0x$offset + 12 + 8 * n)) -N 4 "$file")
	{
		u64 "$address"
		u64 "$address"
		u64 "$(printf %x $((0x$address + start + 5)))"
		dd if="$file" bs=1 skip=$((0x$offset)) status=none \
			count=$((0x$frame_offset - 0x$offset + 0x$frame_size))
	} >"$out"
	echo "$out: $(wc -c <"$out") bytes"
done
