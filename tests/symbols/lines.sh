#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# lines.sh LINES_OF [whole] - source lines and inlined functions of optimized
# C++ and Rust equal those of `addr2line -i`, in every form of debug
# information.
set -eu
lines_of=$1
here=$(cd "$(dirname "$0")" && pwd)
count=60
[ "${2:-}" != whole ] || count=10000
for tool in addr2line readelf strip objcopy python3 "${CXX:-c++}"; do
	command -v "$tool" >/dev/null || { echo "skip: no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PYTHONDONTWRITEBYTECODE=1

# lacks FILE WORDS - the unread part WORDS of FILE is reported
lacks() {
	"$lines_of" "$1" </dev/null >out 2>err || [ $? = 1 ] ||
		{ echo "skip: built without libdw"; exit 77; }
	grep -q "$2" err || { echo "failed: $1: no '$2': $(cat err)"; exit 1; }
}

# addr2line prints a symbol also for inlined functions.
bare() { # FILE
	# shellcheck disable=SC2046
	strip -s $(readelf -SW "$1" | grep -o '\.debug_[a-z_]*' | sort -u |
		sed 's/^/--keep-section=/') -o "$1.bare" "$1"
}

compare() { # FILE [MOST [TABLE]]
	status=0
	python3 "$here/lines.py" "$lines_of" "$1" $count "${2:-0}" "${3:-$1}" \
		2>err || status=$?
	cat err
	! grep -q 'lines_of.*status 77' err ||
		{ echo "skip: built without libdw"; exit 77; }
	[ $status = 0 ] || exit 1
}

build() { # NAME FLAG...
	name=$1
	shift
	"${CXX:-c++}" -std=c++17 -O2 "$@" -o "$name" "$here/lines_$name.cc"
	bare "$name"
}
build sort -gdwarf-4
compare ./sort.bare
build tree -gdwarf-4 -ffunction-sections -Wl,--gc-sections
compare ./tree.bare
build text -gdwarf-4 -O3
compare ./text.bare
build tree -gdwarf-5
compare ./tree.bare 60

# Compressed; moved to a debug file; and with duplicates moved to a third file.
objcopy --compress-debug-sections text.bare packed
compare ./packed 0 ./text.bare
objcopy --only-keep-debug sort sort.debug
strip -o linked sort
objcopy --add-gnu-debuglink=sort.debug linked
compare ./linked 0 ./sort.bare
if command -v dwz >/dev/null; then
	cp sort one
	cp text two
	dwz -m shared one two
	readelf -SW one | grep -q gnu_debugaltlink
	compare ./one 0 ./sort.bare
	rm shared
	lacks ./one 'the dwz file is missing'
else
	echo "note: there is no dwz"
fi

# Sections that libdw cannot read, and .dwo files, which are not supported
"${CXX:-c++}" -g -gsplit-dwarf -o split "$here/lines_text.cc"
rm -f ./*.dwo
lacks ./split 'does not read split debug information'
objcopy --compress-debug-sections=zlib sort.debug packed
for type in 2 9; do
	python3 - packed other $type <<-'END'
		import struct, sys
		data = bytearray(open(sys.argv[1], "rb").read())
		order = ">" if data[5] == 2 else "<"
		at, = struct.unpack_from(order + "Q", data, 0x28)
		n, = struct.unpack_from(order + "H", data, 0x3c)
		for header in range(at, at + 64 * n, 64):
		    flags, _, offset = struct.unpack_from(order + "3Q", data,
		                                          header + 8)
		    if flags & 0x800:
		        struct.pack_into(order + "I", data, offset,
		                         int(sys.argv[3]))
		open(sys.argv[2], "wb").write(data)
	END
	[ $type = 2 ] && words='cannot read zstd' ||
		words='cannot read this compression'
	lacks ./other "$words"
done

# Without .debug_aranges, which clang omits.
if command -v clang++ >/dev/null; then
	clang++ -std=c++17 -O2 -gdwarf-4 -o clang "$here/lines_text.cc"
	bare clang
	compare ./clang.bare
fi

if rustc --version >rust 2>&1; then
	for name in words shapes; do
		rustc --edition 2018 -C opt-level=3 -g -o $name \
			"$here/lines_$name.rs"
		bare $name
		compare ./$name.bare
	done
else
	echo "note: there is no rustc: $(head -1 rust)"
fi
