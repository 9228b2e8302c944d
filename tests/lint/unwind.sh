#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# unwind.sh OBJECTS - no signal handler, cancellation or exception comes where a
# file without unwind tables is on the stack (BLOCKED in src/CMakeLists.txt).
#
# Follows the machine code instruction by instruction, between files too, from
# wherever signals may be open: public functions, constructors, and functions
# whose address is taken.  Behind a call that blocks all signals and switches
# cancellation off, and up to the one that ends it, calls are not followed.  A
# function that is reached in this way and has no tables is a fault.
#
# It proves nothing about SIGSYS, signals 32 and 33, which stay open, and faults
# of our own code.  It believes unwind.txt about calls through pointers and about
# threads of ours.  stress.no_tables looks at the mask itself.
#
# "LIST=1 unwind.sh OBJECTS" prints what each file is: open, with the functions
# that make it so and a way to each, or blocked.
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
