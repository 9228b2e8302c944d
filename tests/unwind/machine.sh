#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# machine.sh MACHINE - the tests of this directory for another machine: built by
# a cross compiler, run by qemu-user.
#
# Reads SYSCAP_SOURCE.
set -eu
machine=$1
case $machine in
aarch64) own=-mbranch-protection=standard ;;
riscv64) own=-fno-omit-frame-pointer ;;
*)
	echo "machine.sh: no such machine: $machine" >&2
	exit 2
	;;
esac
cc=$(command -v "$machine-linux-gnu-gcc" || true)
qemu=$(command -v "qemu-$machine" || command -v "qemu-$machine-static" || true)
if [ -z "$cc" ] || [ -z "$qemu" ]; then
	echo "skip: no $machine-linux-gnu-gcc or no qemu-$machine"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
src=$SYSCAP_SOURCE/src tests=$SYSCAP_SOURCE/tests
root=$("$cc" -print-file-name=libc.so.6)
root=${root%/lib/*}
flags="-std=gnu11 -g -fasynchronous-unwind-tables -I$SYSCAP_SOURCE/include -I$src -I$tests"
failed=0

mkdir objects
for file in "$src"/base/*.c "$src"/os/*.c "$src"/unwind/*.c \
	"$tests/harness/test_main.c"; do
	case $file in *_libunwind.c) continue ;; esac # not in every build
	# shellcheck disable=SC2086
	"$cc" $flags -O2 -fPIC -c "$file" \
		-o "objects/$(basename "$file").o"
done
n=0
for size in small:40 large:4000 middle:600; do
	"$cc" -O2 -fPIC -fasynchronous-unwind-tables -shared -DFRAME=${size#*:} "$tests/unwind/module.c" \
		-o "module_${size%:*}.so"
done
export UNWIND_MODULES="$work"
export QEMU_LD_PREFIX="$root"

# run NAME FLAGS...
run() {
	name=$1
	shift
	# shellcheck disable=SC2086
	"$cc" $flags "$@" "$tests/unwind/test_$name.c" \
		"$tests/unwind/stack_walk.c" objects/*.o -o "test_$name" \
		-pthread -ldl
	n=$((n + 1))
	if ! "$qemu" "./test_$name" --timeout 200 >out 2>&1; then
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
