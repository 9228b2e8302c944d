#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# layout.sh - each installed compiler gives the shared data of copies with one
# ABI number the layout of layout.txt.  A change of the layout needs a higher
# SYC_COPIES_NUMBER in src/copies/copies.h, and a run of this script with
# UPDATE=1.
set -eu
stored=$SYSCAP_SOURCE/tests/copies/layout.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v readelf >/dev/null || {
	echo "skip: there is no readelf"
	exit 77
}

# dump COMPILER: "struct SIZE" and its fields "struct.field OFFSET", for all
# structs of src/ and include/; and "constant VALUE"
dump() {
	"$1" -std=gnu11 -gdwarf-4 -c -I"$SYSCAP_SOURCE/src" \
		-I"$SYSCAP_SOURCE/include" -o "$work/layout.o" \
		"$SYSCAP_SOURCE/tests/copies/layout.c"
	LC_ALL=C readelf --debug-dump=info "$work/layout.o" | awk '
		# readelf prints large numbers in hex, which not every awk reads
		function number(text,    value, i) {
			if (text !~ /^0x/)
				return text + 0
			for (i = 3; i <= length(text); i++)
				value = value * 16 + \
					index("123456789abcdef", substr(text, i, 1))
			return value + 0
		}
		/^ *<[0-9a-f]+><[0-9a-f]+>:/ {
			depth = $0
			gsub(/^ *<|>.*/, "", depth)
			kind = $NF
			name = ""
			if (depth == 1)
				owner = ""
		}
		/DW_AT_name/ { name = $NF }
		/DW_AT_byte_size/ && kind == "(DW_TAG_structure_type)" {
			owner = name ~ /^syc_/ ? name : ""
			if (owner != "")
				print owner, number($NF)
		}
		/DW_AT_data_member_location/ && owner != "" {
			print owner "." name, number($NF)
		}
		/DW_AT_const_value/ && kind == "(DW_TAG_enumerator)" {
			sub(/^value_of_/, "", name)
			# SYC_STAT_ names fields of /proc/PID/stat, and SYC_SOURCE_ rows
			# of a table that each copy has
			if (name ~ /^SYC_/ && name !~ /^SYC_(STAT_|SOURCE_|N_SOURCES$)/)
				print name, number($NF)
		}' | LC_ALL=C sort -u
}

number() { awk '$1 == "SYC_COPIES_NUMBER" { print $2 }' "$@"; }

if [ -n "${UPDATE:-}" ]; then
	dump "$CC" >"$work/now"
	[ "$(number "$work/now")" != "$(number "$stored")" ] || {
		echo "raise SYC_COPIES_NUMBER in src/copies/copies.h first"
		exit 1
	}
	mv "$work/now" "$stored"
	exit
fi
[ "$(wc -l <"$stored")" -gt 200 ]
for compiler in "$CC" gcc clang; do
	command -v "$compiler" >/dev/null || continue
	dump "$compiler" | diff "$stored" - || {
		echo "$compiler: copies of one number would not understand" \
			"each other; raise it as layout.sh says"
		exit 1
	}
done
