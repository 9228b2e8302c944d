#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# msan.sh LIBRARY - copies find each other in a process under MemorySanitizer,
# whose shadow takes most of the address space.  The presets show the same for
# the other sanitizers.
#
# Reads SYSCAP_SOURCE.
set -eu
. "$SYSCAP_SOURCE/tests/copies/needed.sh"
cc=$(command -v clang || command -v clang-14 || true)
skip() {
	echo "skip: $*"
	exit 77
}
[ -n "$cc" ] || skip "there is no clang"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
src=$SYSCAP_SOURCE/src tests=$SYSCAP_SOURCE/tests
echo 'int main(void) { return 0; }' >try.c
"$cc" -fsanitize=memory try.c -o try 2>/dev/null && ./try ||
	skip "clang has no MemorySanitizer (Debian: libclang-rt-14-dev)"

flags="-std=gnu11 -O1 -fPIC -fvisibility=hidden -fsanitize=memory -w"
flags="$flags -fsanitize-recover=memory"
flags="$flags -I$SYSCAP_SOURCE/include -I$src -I$tests"
mkdir objects
needed "$1" . >files
# shellcheck disable=SC2086
xargs -P 2 -I{} sh -c '"$1" $2 -c "$3/$4.c" \
	-o "objects/$(echo "$4" | tr / -).o"' - "$cc" "$flags" "$src" {} <files
for name in a b program; do
	# shellcheck disable=SC2086
	"$cc" $flags "-DPART_NAME=\"$name\"" -c "$tests/copies/part.c" \
		-o "part_$name.o"
done
for name in a b; do
	"$cc" -fsanitize=memory -shared -o $name.so part_$name.o objects/*.o \
		-pthread
done
# shellcheck disable=SC2086
"$cc" $flags "$tests/copies/together.c" part_program.o objects/*.o \
	-o together -pthread -ldl
# MemorySanitizer does not track memory filled by the kernel and by other
# libraries
SYSCAP_OUTPUT="$work/out.syscap" MSAN_OPTIONS=halt_on_error=0:exit_code=0 \
	./together 2>log || {
	grep -v '^ ' log
	exit 1
}
