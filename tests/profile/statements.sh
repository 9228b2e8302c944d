#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# statements.sh NAME - run NAME.py, which makes small captures and checks the
# statements of all commands about the captures.
set -eu
: "${SYSCAP:?}"
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 "$here/$1.py" "$SYSCAP" "$dir"
