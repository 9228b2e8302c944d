#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# adverse.sh - every command on adverse captures; see adverse.py.
set -eu
: "${SYSCAP:?names the binary to test}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "$(dirname "$0")/adverse.py" \
	"$SYSCAP" "$@"
