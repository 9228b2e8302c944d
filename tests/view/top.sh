#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# top.sh - `syscap top` on a command, and on a file; see top.py.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
command -v tmux >/dev/null || { echo "skip: there is no tmux"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "${0%.sh}.py" "$SYSCAP" \
	"$SYSCAP_TEST_BIN/view_loop"
