#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# foremost.sh - the thread whose flame chart opens.
set -eu
: "${SYSCAP:?names the binary to test}" "${SYSCAP_SOURCE:?}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
PYTHONDONTWRITEBYTECODE=1 python3 "${0%.sh}.py" "$SYSCAP" "$dir/pair.syscap"
