#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# main/documented.sh - the commands in the README, docs/ and the man pages work
# unchanged; see documented.py.
set -eu
: "${SYSCAP:?names the binary to test}" "${SYSCAP_TEST_BIN:?}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The program that these commands record: it has events, and exits with 0.
for program in app lines demo program work; do
	cp "$SYSCAP_TEST_BIN/compare_mix" "$work/$program"
done
PYTHONDONTWRITEBYTECODE=1 python3 "$here/documented.py" "$SYSCAP" \
	"$SYSCAP_SOURCE" "$work"
