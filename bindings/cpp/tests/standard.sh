#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# standard.sh STANDARD - every way to write an event compiles as C++STANDARD,
# with each installed compiler and every warning an error, and links from two
# units.
#
# Reads CXXS (compilers), SYSCAP_SOURCE.
set -eu
standard=$1
tests=$SYSCAP_SOURCE/bindings/cpp/tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

for cxx in $CXXS; do
	for unit in uses uses_more; do
		"$cxx" -std="c++$standard" -O1 \
			-Wall -Wextra -Wpedantic -Wshadow -Werror \
			-I"$SYSCAP_SOURCE/include" \
			-I"$SYSCAP_SOURCE/bindings/cpp/include" \
			-c "$tests/$unit.cpp" -o $unit.o
	done
	"$cxx" -r -nostdlib uses.o uses_more.o -o both.o
	echo "$cxx -std=c++$standard: ok"
done
