#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# abi.sh LIBRARY - the binary interface of libsyscap.so is the one described in
# libsyscap.abi.  After an addition, UPDATE=1 writes the description again.
# After any other change, programs need a new library: raise the version, which
# is in the library's name, first.
#
# Reads SYSCAP_SOURCE.
set -eu
library=$1
described=$SYSCAP_SOURCE/tests/consumer/libsyscap.abi
headers=$SYSCAP_SOURCE/include
for program in abidw abidiff; do
	command -v $program >/dev/null || {
		echo "skip: there is no $program (Debian: abigail-tools)"
		exit 77
	}
done
[ "$(uname -m)" = x86_64 ] || {
	echo "skip: the description is of x86-64"
	exit 77
}
if [ -n "${UPDATE:-}" ]; then
	abidw --headers-dir "$headers" --drop-undefined-syms \
		--drop-private-types --no-show-locs --no-corpus-path \
		--no-comp-dir-path --no-elf-needed "$library" >"$described"
	exit
fi
status=0
# The description has only types of the headers.  With --headers-dir2, abidiff
# 2.2 would filter changes of these types, too.
abidiff --no-show-locs --fail-no-debug-info "$described" "$library" || status=$?
[ $status = 0 ] && exit
if [ $((status & 3)) != 0 ]; then
	echo "FAILED: abidiff can't compare the library"
else
	echo "FAILED: the binary interface differs; see abi.sh"
fi
exit 1
