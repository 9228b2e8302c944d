#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dump/names.sh - addresses are shown with their functions, in order of time on
# request, and with the filters of stat.
set -eu
: "${SYSCAP:?names the binary to test}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "$(dirname "$0")/names.py" "$SYSCAP" \
	"$(dirname "$0")/../../export"
