#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# terminal.sh - `syscap view` on a terminal: keys, mouse, sizes; every end
# restores the terminal.  See terminal.py.
set -eu
: "${SYSCAP:?names the binary to test}" "${SYSCAP_SOURCE:?}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
command -v tmux >/dev/null || { echo "skip: there is no tmux"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "${0%.sh}.py" "$SYSCAP" \
	"$SYSCAP_SOURCE/docs/view.md"
