#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# signal.sh LIBRARY [TREE] - functions that a header calls signal-safe are
# signal-safe: from each function below a comment with "Context: ...
# signal-safe", calls lead only to functions of the library and to those in
# signal.txt.
#
# Follows the calls, jumps and taken addresses in the machine code, also between
# files.  Calls through a pointer are not followed: each function whose address
# is in data has to be signal-safe itself.
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
