#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# aarch64.sh LIBRARY - copies find each other in an address space of 39 bits,
# the smallest on aarch64, and of 42: a program with a copy and two libraries
# with their own, built by a cross compiler, run by qemu-user.  There are no
# rings, as qemu can't map the same pages twice.
#
# Reads SYSCAP_SOURCE.
set -eu
. "$SYSCAP_SOURCE/tests/copies/needed.sh"
cc=$(command -v aarch64-linux-gnu-gcc || true)
qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
if [ -z "$cc" ] || [ -z "$qemu" ]; then
	echo "skip: no aarch64-linux-gnu-gcc or no qemu-aarch64"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
src=$SYSCAP_SOURCE/src tests=$SYSCAP_SOURCE/tests
root=$("$cc" -print-file-name=libc.so.6)
export QEMU_LD_PREFIX="${root%/lib/*}"
flags="-std=gnu11 -O1 -fPIC -fvisibility=hidden"
flags="$flags -I$SYSCAP_SOURCE/include -I$src -I$tests"

mkdir objects
needed "$1" . >files
while read -r file; do
	# shellcheck disable=SC2086
	"$cc" $flags -c "$src/$file.c" -o "objects/$(basename "$file").o"
done <files
for name in a b program; do
	# shellcheck disable=SC2086
	"$cc" $flags "-DPART_NAME=\"$name\"" -c "$tests/copies/part.c" \
		-o "part_$name.o"
done
"$cc" -shared -o a.so part_a.o objects/*.o -pthread
"$cc" -shared -o b.so part_b.o objects/*.o -pthread
# shellcheck disable=SC2086
"$cc" $flags "$tests/copies/together.c" part_program.o objects/*.o -o together -pthread -ldl
for space in 0x8000000000 0x40000000000; do
	SYSCAP_OUTPUT="$work/out-$space.syscap" SYSCAP_THREAD=0 \
		"$qemu" -R "$space" ./together || {
		echo "with $space bytes of addresses: failed"
		exit 1
	}
done
