#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# chains.sh LIBRARY [whole] - test_chains.c and test_exceptions.c, built by each
# installed compiler with some of the settings below, with "whole" with all.
# The registered tests use the build's settings.
#
# Reads SYSCAP_SOURCE.
set -eu
if [ -n "${SYSCAP_SANITIZE:-}" ]; then
	echo "skip: unwind.chains has what a sanitizer makes of it"
	exit 77
fi
library=$1 extent=${2:-}
tests=$SYSCAP_SOURCE/tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0 n=0

# build CC CXX FLAGS...: chains and exceptions; fails if impossible
build() {
	cc=$1 cxx=$2
	shift 2
	include="-I$SYSCAP_SOURCE/include -I$SYSCAP_SOURCE/src -I$tests"
	# shellcheck disable=SC2086
	{
		"$cc" -std=c11 -D_GNU_SOURCE $include -g "$@" -c \
			"$tests/unwind/test_exceptions.c" \
			"$tests/unwind/shadow.c" "$tests/unwind/stack_walk.c" &&
		"$cc" -std=c11 $include -g "$@" -o chains \
			"$tests/unwind/test_chains.c" stack_walk.o harness.o \
			"$library" -pthread -ldl &&
		"$cxx" -std=c++11 $include -g "$@" -o exceptions \
			"$tests/unwind/exceptions.cc" test_exceptions.o \
			shadow.o stack_walk.o harness.o "$library" -pthread -ldl
	} 2>errors
}

for pair in gcc:g++ clang:clang++; do
	cc=${pair%:*} cxx=${pair#*:}
	if ! command -v "$cc" >/dev/null || ! command -v "$cxx" >/dev/null; then
		echo "left out: there is no $cc with $cxx"
		continue
	fi
	"$cc" -std=c11 -O1 -I"$tests" -c "$tests/harness/test_main.c" \
		-o harness.o
	for flags in "-O0" "-O1" "-O2" "-O3" "-Os" \
		"-O2 -fno-omit-frame-pointer" "-O2 -fomit-frame-pointer" \
		"-O0 -fomit-frame-pointer" "-O2 -flto" "-O2 -no-pie -fno-pie" \
		"-O2 -fcf-protection=full" "-O2 -fstack-protector-all" \
		"-O2 -fstack-clash-protection" "-O2 -ffunction-sections" \
		"-O2 -march=native" "-O2 -static" "-O2 -fno-plt -Wl,-z,now"; do
		case $extent$cc$flags in
		whole* | gcc-O0 | gcc*-flto | gcc*-static | clang-Os | clang*-fno-omit-frame-pointer) ;;
		*) continue ;;
		esac
		# shellcheck disable=SC2086
		if ! build "$cc" "$cxx" $flags; then
			echo "left out: $cc $flags: $(grep -m1 error errors ||
				head -n 1 errors)"
			continue
		fi
		n=$((n + 1))
		for program in chains exceptions; do
			if ! "./$program" --timeout 240 >out 2>&1; then
				echo "$cc $flags: $program"
				cat out
				failed=$((failed + 1))
			fi
		done
	done
done
echo "$n ways, $failed programs failed"
if [ "$n" = 0 ]; then
	echo "skip: neither gcc with g++ nor clang with clang++ (Debian: g++)"
	exit 77
fi
[ "$failed" = 0 ]
