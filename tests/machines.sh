#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# machines.sh [MACHINE]... - one table of the machines that a compiler here can
# build for: do the libraries build, and do their tests pass?
#
#	builds    CMake builds the archives without a warning
#	unit      the unwinder (tests/unwind), and the readers and writers of
#	          captures
#	emit      events, recordings of the process itself, and their captures
#	drop-in   the drop-in's interface and behaviour
#
# "-": not run.  For machines without a compiler, the script names the missing
# packages.  Logs of failures remain in a temporary directory.  The tests are the
# ctest tests emit.MACHINE and unwind.MACHINE, which the kernel or qemu-user runs.
#
# Reads SYSCAP (a built command that reads the machines' captures; may be empty)
# and CC.
set -eu
tree=$(cd "$(dirname "$0")/.." && pwd)
export SYSCAP_SOURCE="$tree" CC="${CC:-cc}"
[ $# -gt 0 ] || set -- i386 aarch64 riscv64 ppc64el s390x armhf musl
logs=$(mktemp -d)
failed=0
missing=

# build MACHINE
build() {
	# musl's macros convert signs, and its ioctl() takes an int
	[ "$1" != musl ] || flags="$flags -Wno-sign-conversion"
	CC=$compiler cmake -S "$tree" -B "$logs/$1.build" \
		-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_C_FLAGS="$flags" \
		-DSYSCAP_WERROR=ON -DSYSCAP_TOOLS=OFF -DSYSCAP_SHARED=OFF \
		-DSYSCAP_TESTS=OFF -DSYSCAP_EXAMPLES=OFF \
		-DSYSCAP_BINDINGS=OFF &&
		cmake --build "$logs/$1.build" -j2
}

# state PATTERN: prints FAILED if a line "FAILED: NAME" in $log has PATTERN
state() {
	if grep -E "^FAILED: ($1)" "$log" >/dev/null; then
		echo FAILED
	else
		echo ok
	fi
}

printf '%-9s %-7s %-7s %-7s %s\n' machine builds unit emit drop-in
for machine; do
	log=$logs/$machine.log
	code=0
	sh "$tree/tests/emit/machine.sh" "$machine" compiler >"$log" || code=$?
	if [ $code = 77 ]; then
		missing="$missing$machine: $(sed -n 's/^skip: //p' "$log")
"
		continue
	fi
	[ $code = 0 ] || exit $code
	read -r compiler flags <"$log"
	builds=ok unit=ok
	build "$machine" >"$log.build" 2>&1 || builds=FAILED
	rm -rf "$logs/$machine.build"
	case $machine in aarch64 | riscv64 | i386 | ppc64el | s390x)
		sh "$tree/tests/unwind/machine.sh" "$machine" \
			>"$log.unwind" 2>&1 || unit=FAILED
		;;
	esac
	sh "$tree/tests/emit/machine.sh" "$machine" whole >"$log" 2>&1 || code=$?
	if [ $code = 0 ] || grep -q '^FAILED: ' "$log"; then
		[ $unit = FAILED ] || unit=$(state 'reader|writer|public_writer')
		dropin=$(state dropin)
		emit=$(grep -vE '^FAILED: (dropin|reader|writer|public_writer)' \
			"$log" >"$log.emit" || true; log=$log.emit state .)
	else # the tests did not start, or the machine has no emulator
		emit=FAILED dropin=-
		[ $code != 77 ] || emit=- unit=-
	fi
	printf '%-9s %-7s %-7s %-7s %s\n' "$machine" "$builds" "$unit" "$emit" \
		"$dropin"
	case $builds$unit$emit$dropin in *FAILED*) failed=1 ;; esac
done
printf '%s' "$missing"
if [ $failed != 0 ]; then
	echo "The logs are in $logs" >&2
	exit 1
fi
rm -rf "$logs"
