#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# false_begin.sh - a mark that begins before its process is reported by name,
# and is in no list and no sum.
set -eu
: "${SYSCAP:?}"
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 "$here/false_begin.py" "$SYSCAP" "$dir"
