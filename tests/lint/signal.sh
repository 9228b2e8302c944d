#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# signal.sh LIBRARY [TREE] - what a header calls signal-safe is: from each
# function below a comment with "Context: ... signal-safe", calls lead to
# functions of ours and to those in signal.txt, and nowhere else.
#
# Follows the calls, jumps and addresses taken in the machine code, between
# files too.  What is called through a pointer is not followed from there: each
# function whose address stands in data has to be signal-safe itself.
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
