#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# paths.sh [TREE] - check that no file contains a machine-specific directory.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}"

# The brackets keep this line from finding itself.
found=$("$here/files.sh" | xargs grep -nIE \
	'(^|[^A-Za-z0-9_.})/-])/([w]ork|[h]ome|[U]sers|[r]oot)/' || true)
[ -z "$found" ] && exit 0
printf '%s\n' "$found"
exit 1
