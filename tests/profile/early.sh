#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# early.sh - marks from before the recording are cut at its beginning, in all
# commands alike.  Only dump and csv have the frames unchanged.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$SYSCAP_TEST_BIN/profile_early" "$dir/early.syscap"
python3 "$here/early.py" "$SYSCAP" "$dir/early.syscap"
