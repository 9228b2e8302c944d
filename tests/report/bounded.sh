#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bounded.sh - a page with a size limit below its marks' size summarises the
# marks, with exact sums.
set -eu
: "${SYSCAP:?}"
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 "$here/bounded.py" "$SYSCAP" "$dir"
