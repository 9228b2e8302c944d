#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cut/times.sh - a part of a capture has what a filter finds; see times.py.
set -eu
: "${SYSCAP:?names the binary to test}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "${0%.sh}.py" "$SYSCAP"
