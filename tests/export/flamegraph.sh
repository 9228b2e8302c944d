#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# flamegraph.sh - flame graphs show the recorded data; see flamegraph.py.
set -eu
: "${SYSCAP:?names the binary to test}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
chromium=$(command -v chromium || command -v chromium-browser || true)
[ -n "$chromium" ] || echo "there is no chromium: the script in it is not run"
PYTHONDONTWRITEBYTECODE=1 exec python3 "$(dirname "$0")/flamegraph.py" \
	"$SYSCAP" "$chromium"
