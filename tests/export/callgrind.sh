#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# callgrind.sh - callgrind_annotate agrees with stat; see callgrind.py.
set -eu
: "${SYSCAP:?names the binary to test}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
command -v callgrind_annotate >/dev/null ||
	{ echo "skip: there is no callgrind_annotate (valgrind)"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "$(dirname "$0")/callgrind.py" "$SYSCAP"
