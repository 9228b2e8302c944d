#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cuts.sh - every command on every capture of the corpus, cut at 500 places; see
# cuts.py.
set -eu
: "${SYSCAP:?names the binary to test}" "${SYSCAP_TEST_BIN:?}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "$(dirname "$0")/cuts.py" \
	"$SYSCAP" "$SYSCAP_TEST_BIN/profile_many" "$@"
