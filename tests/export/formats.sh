#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# formats.sh - exports have the recorded data; see formats.py.
set -eu
: "${SYSCAP:?names the binary to test}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
go=$(command -v go || true)
sqlite3=$(command -v sqlite3 || true)
[ -n "$go" ] || echo "there is no go: pprof itself is not asked"
[ -n "$sqlite3" ] || echo "there is no sqlite3: it is not asked"
npm=${SYSCAP_NPM:-$SYSCAP_SOURCE/build/npm}
duckdb=
if [ -d "$npm/node_modules/@duckdb/node-api" ]; then
	duckdb=$npm/node_modules
else
	echo "$npm has no @duckdb/node-api: DuckDB is not asked"
fi
PYTHONDONTWRITEBYTECODE=1 exec python3 "$(dirname "$0")/formats.py" \
	"$SYSCAP" "$go" "$sqlite3" "$duckdb"
