#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# standard.sh STANDARD - compilation of every way to write an event as
# C++STANDARD, from two units, with each installed compiler.  Warnings are
# errors.
#
# The test reads CXXS (compilers) and SYSCAP_SOURCE.
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
