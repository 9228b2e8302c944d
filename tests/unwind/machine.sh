#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# machine.sh MACHINE - the tests of this directory for another machine: built by
# a cross compiler, run by qemu-user.
#
# Reads SYSCAP_SOURCE.
set -eu
machine=$1
own=-fno-omit-frame-pointer
case $machine in
aarch64) own=-mbranch-protection=standard tools=aarch64 ;;
riscv64) tools=riscv64 ;;
ppc64el) tools=powerpc64le ;;
s390x) tools=s390x ;;
i386) tools= ;;
*)
	echo "machine.sh: no such machine: $machine" >&2
	exit 2
	;;
esac
if [ "$machine" = i386 ]; then
	# The headers <asm/...> are the same for both sizes
	cc=${CC:-cc}
	cc="$cc -m32 -idirafter /usr/include/$("$cc" -print-multiarch)"
	qemu=$(command -v qemu-i386 || command -v qemu-i386-static || true)
else
	cc=$(command -v "$tools-linux-gnu-gcc" || true)
	qemu=qemu-$tools
	[ "$tools" != powerpc64le ] || qemu=qemu-ppc64le
	qemu=$(command -v "$qemu" || command -v "$qemu-static" || true)
	if [ -z "$cc" ] || [ -z "$qemu" ]; then
		echo "skip: no $tools-linux-gnu-gcc or no qemu-$tools"
		exit 77
	fi
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
src=$SYSCAP_SOURCE/src tests=$SYSCAP_SOURCE/tests

# build FLAG...
build() {
	# shellcheck disable=SC2086
	$cc "$@"
}

if [ "$machine" = i386 ]; then
	echo 'int main(void) { return 0; }' >one.c
	build one.c -o one 2>/dev/null || {
		echo "skip: $cc makes no programs"
		exit 77
	}
	# qemu is used only if the kernel runs no program of 32 bits
	if ./one 2>/dev/null; then
		qemu=
	elif [ -z "$qemu" ]; then
		echo "skip: the kernel runs no program of i386, and there is no qemu-i386"
		exit 77
	fi
else
	root=$(build -print-file-name=libc.so.6)
	export QEMU_LD_PREFIX="${root%/lib/*}"
fi
flags="-std=gnu11 -g -fasynchronous-unwind-tables -I$SYSCAP_SOURCE/include -I$src -I$tests"
failed=0

mkdir objects
for file in "$src"/base/*.c "$src"/os/*.c "$src"/unwind/*.c \
	"$tests/harness/test_main.c"; do
	case $file in *_libunwind.c) continue ;; esac # not in every build
	# shellcheck disable=SC2086
	build $flags -O2 -fPIC -c "$file" \
		-o "objects/$(basename "$file").o"
done
n=0
for size in small:40 large:4000 middle:600; do
	build -O2 -fPIC -fasynchronous-unwind-tables -shared -DFRAME=${size#*:} "$tests/unwind/module.c" \
		-o "module_${size%:*}.so"
done
export UNWIND_MODULES="$work"

# run NAME FLAGS...
run() {
	name=$1
	shift
	# shellcheck disable=SC2086
	build $flags "$@" "$tests/unwind/test_$name.c" \
		"$tests/unwind/stack_walk.c" objects/*.o -o "test_$name" \
		-pthread -ldl
	n=$((n + 1))
	if ! $qemu "./test_$name" --timeout 200 >out 2>&1; then
		echo "$name, $*:"
		grep -v '^ok' out
		failed=$((failed + 1))
	fi
}

for level in -O0 -O2 -Os "-O2 -fomit-frame-pointer" \
	"-O2 $own"; do
	# shellcheck disable=SC2086
	run chains $level
done
for name in contexts stacks hostile modules; do
	run $name -O2
done
echo "$n programs, $failed failed"
[ $failed = 0 ]
