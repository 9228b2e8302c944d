#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# formats.sh - exports say what was recorded; see formats.py.
set -eu
: "${SYSCAP:?names the binary to test}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
go=$(command -v go || true)
sqlite3=$(command -v sqlite3 || true)
[ -n "$go" ] || echo "there is no go: pprof itself is not asked"
[ -n "$sqlite3" ] || echo "there is no sqlite3: it is not asked"
# 1.5 of npm's @duckdb/node-api is the one that was tried.
duckdb=
if [ -d "${NODE_MODULES:-}/@duckdb/node-api" ]; then
	duckdb=$NODE_MODULES
else
	echo "NODE_MODULES has no @duckdb/node-api: DuckDB is not asked"
fi
PYTHONDONTWRITEBYTECODE=1 exec python3 "$(dirname "$0")/formats.py" \
	"$SYSCAP" "$go" "$sqlite3" "$duckdb"
