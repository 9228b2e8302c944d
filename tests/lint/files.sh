#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# files.sh [PATTERN]...  - list of the files of the tree in the current
# directory: files that git tracks or would add.  Without git, the list has all
# files outside of build/ and .git/.
set -eu
if [ -e .git ] && command -v git >/dev/null; then
	# git refuses to read another user's clone.
	git -c safe.directory='*' ls-files -co --exclude-standard -- "$@"
else
	find . \( -name build -o -name .git \) -prune -o -type f -print | sed 's,^\./,,' |
	while read -r file; do
		[ $# -gt 0 ] || echo "$file"
		for pattern; do
			# shellcheck disable=SC2254
			case $file in $pattern) echo "$file"; break ;; esac
		done
	done
fi | LC_ALL=C sort | while read -r file; do
	[ ! -f "$file" ] || echo "$file"
done
