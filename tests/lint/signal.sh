#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# signal.sh LIBRARY [TREE] - check of functions whose header comment has
# "Context: ... signal-safe": their calls lead only to functions of the library
# and of signal.txt.
#
# The lint follows calls, jumps and taken addresses in the machine code, also
# between files.  The lint does not follow calls through a pointer: each
# function whose address is in data has to be signal-safe itself.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
library=$1
cd "${2:-$here/../..}"

if [ -n "${SYSCAP_SANITIZE:-}" ]; then
	echo "skip: sanitizers add calls of their own"
	exit 77
fi
{
	sed 's/^/list /' "$here/signal.txt"
	find include src -name '*.h' | LC_ALL=C sort | xargs cat |
		awk -f "$here/contexts.awk"
	nm "$library" | sed 's/^/nm /'
	objdump -dr --no-show-raw-insn "$library"
	echo pointers
	objdump -r "$library"
} | awk -f "$here/signal.awk"
