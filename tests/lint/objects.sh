#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# objects.sh OBJECTS - definitions and uses of globals, one per line, for lints
# of object files:
#
#	defines LAYER/FILE SYMBOL
#	uses LAYER/FILE SYMBOL
#
# OBJECTS are object files of CMake, separated by semicolons.
set -eu
IFS=';'
# shellcheck disable=SC2086 # the separator is the semicolon
nm -gA $1 | awk '
{
	# DIRECTORY/CMakeFiles/TARGET.dir/LAYER/FILE.c.o:[ADDRESS] TYPE SYMBOL
	file = $0
	sub(/:[^:]*$/, "", file)
	sub(/.*CMakeFiles\/[^\/]*\//, "", file)
	sub(/\.[a-z]+\.o$/, "", file)
	print ($(NF - 1) ~ /^[Uwv]$/ ? "uses " : "defines ") file " " $NF
}' | LC_ALL=C sort -u
