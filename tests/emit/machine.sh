#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# machine.sh MACHINE [compiler | whole] - the process's layers and the drop-in,
# compiled for MACHINE and linked without libatomic.  CC -m32 compiles
# for i386, musl-gcc for musl, a cross compiler for other machines.  The tests of
# events, overflows, sessions and the drop-in run by the kernel or by qemu-user.
# The command, if it is built, reads captures of the machine.
#
# qemu-user does not wipe memory at a fork (MADV_WIPEONFORK), does not show
# the program's name or mappings, and makes no timer for a thread.  Tests of these
# features need a real kernel.
#
# Without "whole", the compiler optimises less.  An emulator then runs only the
# tests of events, connections, overflows, outputs and spills.
# With "compiler", only prints the compiler and its options for MACHINE.
#
# Reads SYSCAP_SOURCE, SYSCAP (the command; may be empty) and CC.
set -eu
machine=$1
cc=${CC:-cc}
source=$SYSCAP_SOURCE
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TMPDIR="$work"
only=
case $machine in
i386)
	# The headers <asm/...> are the same for both sizes
	only="-m32 -idirafter /usr/include/$("$cc" -print-multiarch)"
	packages="libc6-dev-i386 lib32gcc-12-dev"
	emulator=i386
	;;
musl)
	# The kernel's headers are in the C library's directories
	only="-idirafter /usr/include -idirafter"
	only="$only /usr/include/$("$cc" -print-multiarch)"
	packages=musl-tools emulator=none
	;;
aarch64) tools=aarch64-linux-gnu libc=arm64 emulator=aarch64 ;;
riscv64) tools=riscv64-linux-gnu libc=riscv64 emulator=riscv64 ;;
armhf) tools=arm-linux-gnueabihf libc=armhf emulator=arm ;;
ppc64el) tools=powerpc64le-linux-gnu libc=ppc64el emulator=ppc64le ;;
s390x) tools=s390x-linux-gnu libc=s390x emulator=s390x ;;
*)
	echo "machine.sh: no such machine: $machine" >&2
	exit 2
	;;
esac
case $machine in
i386) ;;
musl) cc=musl-gcc ;;
*)
	cc=$tools-gcc
	packages="gcc-$tools libc6-dev-$libc-cross"
	;;
esac
level=-O1
[ "${2:-}" != whole ] || level=-O2
flags="$only -D_FILE_OFFSET_BITS=64 -std=gnu11 $level -fPIC"
flags="$flags -fasynchronous-unwind-tables -fvisibility=hidden -Wall -Wextra -Werror"
flags="$flags -I$source/include -I$source/src -I$source/tests"
flags="$flags -I$source/include/sysprof-6"

echo 'int main(void) { return 0; }' >one.c
# shellcheck disable=SC2086
if ! "$cc" $flags one.c -o one 2>/dev/null; then
	echo "skip: $cc $only makes no programs (Debian: $packages)"
	exit 77
fi
if [ "${2:-}" = compiler ]; then
	echo "$cc $only"
	exit 0
fi
case $machine in i386 | musl) ;; *)
	root=$("$cc" -print-file-name=libc.so.6)
	export QEMU_LD_PREFIX="${root%/lib/*}"
	;;
esac
run=
if ! ./one 2>/dev/null; then
	run=$(command -v qemu-$emulator || command -v qemu-$emulator-static ||
		true)
	if [ -z "$run" ] || ! "$run" ./one; then
		echo "skip: the kernel runs no program of $machine, and there" \
			"is no qemu-$emulator"
		exit 77
	fi
	export SYSCAP_TEST_RUNNER="$run"
fi

# i386 runs the other parts without an emulator
parts=whole
[ -z "$run" ] || [ "${2:-}" = whole ] || parts=machine

# --- build

mkdir objects
compat=sysprof_compat
[ $parts = whole ] || compat=
for layer in base os copies ring emit session collect unwind sampler common \
	capture $compat; do
	ls "$source/src/$layer"/*.c
done | grep -v _libunwind >files
for file in test_main peer peer_arena written make_capture; do
	echo "$source/tests/harness/$file.c"
done >>files
export CC="$cc" FLAGS="$flags"
xargs -P2 -n8 sh -c '
	set -e
	for file; do
		layer=$(basename "$(dirname "$file")")
		"$CC" $FLAGS -c "$file" \
			-o "objects/${layer}_$(basename "$file" .c).o"
	done' sh <files || exit 1
rm -f one one.c
ar rcs libsyscap.a objects/*.o

# build NAME SOURCE...
build() {
	name=$1
	shift
	# shellcheck disable=SC2086
	"$cc" $flags "$@" objects/harness_*.o -o "$name" libsyscap.a \
		-pthread -ldl -lm
}

# --- run

n_failed=0

# check NAME [TEST THAT NEEDS A REAL KERNEL]...
check() {
	name=$1
	shift
	[ -n "$run" ] || set --
	printf '%s\n' '' "$@" >excluded
	# backtrace() of this test stores 64-bit addresses
	echo two_addresses_in_front_drop_the_callback_and_the_call >>excluded
	# qemu-i386 7.2 sometimes ends by an assertion of its own after a handler
	for _ in 1 2 3; do
		status=0
		# shellcheck disable=SC2086,SC2046
		$run ./"$name" --timeout 120 \
			$($run ./"$name" --list | grep -vxFf excluded) \
			>log 2>&1 || status=1
		cat log
		[ $status = 1 ] || return 0
		grep -q 'i386_tr_init_disas_context: assertion' log || break
	done
	echo "FAILED: $name"
	n_failed=$((n_failed + 1))
}

tests=$source/tests
# musl has no backtrace()
allocation=allocation
[ "$machine" != musl ] || allocation=
names="names async $allocation control" sessions="alone unreported"
[ $parts = whole ] || names='' sessions=''
for name in emit connection overflow $names; do
	build "$name" "$tests/emit/test_$name.c"
done
for name in output spill $sessions; do
	build "$name" "$tests/session/test_$name.c"
done
check emit a_stock_recorder_gets_the_process_id
check connection
# On a busy machine qemu-i386 fails in each try of these two
handlers=
[ "$machine" != i386 ] ||
	handlers="jumps_out_of_handlers_leave_whole_frames
		handlers_emit_while_frames_overflow"
# shellcheck disable=SC2086
check overflow a_child_does_not_repeat_its_parents_frames $handlers
check output
# A busy emulator needs more than the 400 ms between two looks for a fork
check spill an_exit_looks_up_few_processes
if [ $parts = whole ]; then
	check names a_forked_child_keeps_addresses_and_has_its_own_for_new_names
	check async
	[ -z "$allocation" ] || check allocation
	check control a_socket_pair_made_before_exec_is_accepted
	"$tests/dropin/make_api_test.sh" >api.c
	for name in api behaviour; do
		# The table has the sizes of 64-bit machines
		case "$machine $name" in "i386 api" | "armhf api") continue ;; esac
		case $name in
		api) set -- api.c ;;
		*) set -- "$tests"/dropin/test_behaviour.c \
			"$tests"/dropin/behaviour_*.c objects/harness_make_capture.o ;;
		esac
		# shellcheck disable=SC2086
		"$cc" $flags -Wno-deprecated-declarations "$@" -o "dropin_$name" \
			libsyscap.a -pthread -ldl -lm
		$run ./"dropin_$name" >out 2>&1 || {
			cat out
			echo "FAILED: dropin $name"
			n_failed=$((n_failed + 1))
		}
		tail -n 1 out
	done
	check alone
	check unreported
	for name in reader writer public_writer; do
		build "$name" "$tests/capture/test_$name.c"
		check "$name"
	done
fi

# --- captures of this machine, read by the command

# shellcheck disable=SC2086
"$cc" $flags "$tests/emit/machine_capture.c" -o capture libsyscap.a -pthread -ldl
cat >expected <<'END'
    100 allocation 0x1000 size 7 at 0x401000 NAME="a name"
      1 ctrdef [ID category "app" name "half" description "" double 0]
      1 ctrdef [ID category "app" name "whole" description "" int64 0]
    100 ctrset ID=2.5
    100 ctrset ID=42
      1 file_chunk path "/file" 7 bytes, the last
      1 fork child N
      1 jitmap NAME="a name"
    100 log warning domain "domain" message "text"
   3000 mark for 4.370 µs group "thread" name "step" message "m"
      1 metadata id "key" text "value"
    100 sample 0x401000 NAME="a name"
END

# expect CAPTURE: it is valid, and has the events of machine_capture.c
expect() {
	"$SYSCAP" check "$1" >out 2>&1 || {
		cat out
		echo "FAILED: check of $1"
		n_failed=$((n_failed + 1))
	}
	"$SYSCAP" dump "$1" | sed -E 's/^[-+][0-9.]+ +//
		s/ +pid -?[0-9]+//; s/ tid [0-9]+//; s/ cpu -?[0-9]+//
		s/ child [0-9]+/ child N/; s/0xe[0-9a-f]{15}/NAME/
		s/ \[[0-9]+ / [ID /; s/ [0-9]+=/ ID=/
		/^(map|process|exit|timestamp) /d; /^(exit|timestamp)$/d
		/ id "syscap\./d' | LC_ALL=C sort | uniq -c | diff expected - || {
		echo "FAILED: events in $1"
		n_failed=$((n_failed + 1))
	}
}

# shellcheck disable=SC2086
"$cc" $flags "$tests/emit/machine_sampled.c" -o sampled libsyscap.a -pthread -ldl
# shellcheck disable=SC2086
if [ -n "$run" ]; then
	set --
else
	set -- ticks
fi
# shellcheck disable=SC2086
SYSCAP_OUTPUT=$work/sampled.syscap $run ./sampled "$@" || {
	echo "FAILED: sampled"
	n_failed=$((n_failed + 1))
}

# expect_stacks: the stacks of sampled.syscap contain main()
expect_stacks() {
	n=$("$SYSCAP" dump sampled.syscap |
		grep -cE ' sample .*( 0x[0-9a-f]+){4}' || true)
	[ "$n" -ge 10 ] || {
		echo "FAILED: $n of 10 stacks"
		n_failed=$((n_failed + 1))
	}
	[ -z "$run" ] || return 0
	"$SYSCAP" export --format=folded sampled.syscap >stacks
	grep -q 'main;calls_ticked;ticked' stacks || {
		cat stacks
		echo "FAILED: no ticks"
		n_failed=$((n_failed + 1))
	}
}

if [ -n "${SYSCAP:-}" ]; then
	# Programs of armhf have no tables
	[ "$machine" = armhf ] || expect_stacks
	# shellcheck disable=SC2086
	SYSCAP_OUTPUT=$work/own.syscap $run ./capture
	expect own.syscap
	SYSPROF_TRACE_FD=9 $run ./capture 9<>fd.syscap
	expect fd.syscap
fi
exit $((n_failed != 0))
