#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# documented.sh - the screens in docs/view.md and the README equal the output of
# `syscap view`; UPDATE=1 writes the screens anew.
set -eu
: "${SYSCAP:?names the binary to test}" "${SYSCAP_SOURCE:?}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "${0%.sh}.py" "$SYSCAP" \
	"$SYSCAP_SOURCE/README.md" "$SYSCAP_SOURCE/docs/view.md"
