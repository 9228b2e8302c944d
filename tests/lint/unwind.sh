#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# unwind.sh OBJECTS - check that no signal handler, cancellation or exception
# comes while a file without unwind tables ("blocked" in src/sources.txt) is on
# the stack.
#
# The lint follows the machine code by instruction, also between files, from all
# code with open signals: public functions, constructors, and functions whose
# address is taken.  The lint does not follow calls while all signals and
# cancellation are blocked.  A reached function without tables is a fault.
#
# Another fault is "push" of a constant and "pop" in a file with tables.  gcc -Oz
# states no push in the tables, so a walk from between the two goes astray.
#
# The lint proves nothing about SIGSYS, signals 32 and 33, which stay open, and
# faults of the library itself.  unwind.txt is trusted for calls through
# pointers and for the library's threads.  stress.no_tables checks the mask
# itself.
#
# "LIST=1 unwind.sh OBJECTS" prints each file as blocked or as open.  For open
# files, the list has the responsible functions, with a path to each.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

if [ -n "${SYSCAP_SANITIZE:-}" ]; then
	echo "skip: sanitizers add calls of their own"
	exit 77
fi
case $(uname -m) in
x86_64) ;;
*)
	echo "skip: reads the machine code of x86-64"
	exit 77
	;;
esac
IFS=';'
set -- $1
unset IFS
{
	sed 's/^/list /' "$here/unwind.txt"
	nm -A "$@" | sed 's/:/ /; s/^/nm /'
	objdump -dr --no-show-raw-insn "$@"
	objdump -r "$@"
} | awk -v LIST="${LIST:-0}" -f "$here/unwind.awk"
