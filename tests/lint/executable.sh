#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# executable.sh [TREE] - check that each file with an interpreter in the first
# line is executable.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}"

"$here/files.sh" '*.sh' '*.py' '*.js' | {
	status=0
	while read -r file; do
		IFS= read -r first <"$file" || continue
		case $first in
		'#!'*) [ -x "$file" ] || { echo "$file: not executable"; status=1; } ;;
		esac
	done
	exit $status
}
