#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# incomplete.sh - each view of a capture states that events are missing, if a
# note in the capture says so.
set -eu
: "${SYSCAP:?}"
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 "$here/incomplete.py" "$SYSCAP" "$dir"
