#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# same.sh - `stat`, page and viewer agree on odd captures; see same.py.
set -eu
: "${SYSCAP:?names the binary to test}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "${0%.sh}.py" "$SYSCAP"
