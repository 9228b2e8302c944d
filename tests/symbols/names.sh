#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# names.sh NAME_OF - names equal those of nm and addr2line, for real files.
set -eu
name_of=$1
for tool in nm addr2line objcopy awk; do
	command -v "$tool" >/dev/null || { echo "skip: no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
seen=0

# The first, a middle and the last byte of every function with a size.
addresses() {
	{ nm -S --defined-only "$1"; nm -DS --defined-only "$1"; } \
		2>/dev/null |
	awk 'function hex(text, i, n) {
		n = 0
		for (i = 1; i <= length(text); i++)
			n = n * 16 + index("0123456789abcdef",
				substr(text, i, 1)) - 1
		return n
	}
	NF == 4 && $3 ~ /[TtWwi]/ && $2 !~ /^0*$/ {
		begin = hex($1); size = hex($2)
		printf "%x\n%x\n%x\n", begin, begin + int(size / 2),
			begin + size - 1
	}' | sort -u
}

# Removes debug information, as addr2line prefers its names of inlined
# functions, which a table of functions does not contain.
plain() {
	objcopy -g "$1" "$work/plain"
	! "$name_of" "$1" </dev/null 2>&1 | grep -q '^debug /'
}

# FILE MOST - at most MOST in a thousand names differ from addr2line's, which
# may choose other aliases.
compare() {
	[ -e "$1" ] && plain "$1" || return 0
	addresses "$1" >"$work/addresses"
	[ -s "$work/addresses" ] || return 0
	seen=1
	"$name_of" "$1" <"$work/addresses" 2>/dev/null |
		sed 's/^[^ ]* //' >"$work/ours"
	addr2line -f -C -e "$work/plain" <"$work/addresses" |
		awk 'NR % 2' >"$work/theirs"
	paste -d'|' "$work/addresses" "$work/ours" "$work/theirs" |
	awk -F'|' -v file="$1" -v most="$2" '
	$2 != $3 { bad++; if (bad < 6) print "  " $0 }
	$2 == "?" || $2 == "-" { none++ }
	END {
		print file ": " NR " addresses, " bad + 0 " others, " \
			none + 0 " without a name"
		exit none > 0 || bad * 1000 > most * NR
	}'
}

compare "$name_of" 5
for file in /usr/lib/*/libgtk-4.so.1 /usr/lib/*/libglib-2.0.so.0 \
	/usr/lib/*/libstdc++.so.6 /usr/bin/python3; do
	compare "$file" 5
done
[ $seen = 1 ] || { echo "skip: nothing to look at"; exit 77; }
