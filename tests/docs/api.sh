#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# api.sh LIBRARY... - the pages of docs/api.sh have every public function of the
# libraries, each with its comment, and no broken link.
set -eu
: "${SYSCAP_SOURCE:?}"
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
command -v nm >/dev/null || { echo "skip: there is no nm"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1

"$SYSCAP_SOURCE/docs/api.sh" "$work/pages" "$SYSCAP_SOURCE"
# Private functions of an archive begin with syc_.
for library; do
	nm -g --defined-only "$library" 2>/dev/null |
		awk '$2 ~ /^[TW]$/ && $3 ~ /^(syscap|sysprof)_/ { print $3 }'
done | sort -u >"$work/functions"
python3 "$here/api.py" "$work/pages" "$work/functions"

# Faults that docs/api.sh must find
mkdir "$work/tree"
cp -r "$SYSCAP_SOURCE/include" "$work/tree/"
must_find() {
	"$SYSCAP_SOURCE/docs/api.sh" "$work/faulty" "$work/tree"
	if python3 "$here/api.py" "$work/faulty" "$work/functions" >"$work/out"; then
		echo "not found: $1"
		exit 1
	fi
	grep -q "$1" "$work/out" || { cat "$work/out"; exit 1; }
	cp -r "$SYSCAP_SOURCE/include" "$work/tree/"
}
sed -i 's/^int syscap_drain(void);/\n&/' "$work/tree/include/syscap.h"
must_find "syscap_drain has no comment"
sed -i '/^int syscap_drain(void);/d' "$work/tree/include/syscap.h"
must_find "no page has syscap_drain"
