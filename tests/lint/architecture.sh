#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# architecture.sh [TREE] - check of docs/architecture.md: every file exists, and
# in the second half (the walks, the places to change) every function.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}"
page=docs/architecture.md

words() {
	tr '\n' ' ' | grep -oE '`[^`]+`' | tr -d '`' | LC_ALL=C sort -u
}

missing=$(
	words <$page | grep -E '^(src/)?[a-z]+/[a-z_0-9]+(\.[a-z]+)?$' |
		sed 's/^src\///' | while read -r name; do
		for root in src include tests docs .; do
			for end in "" .c .h .js .md; do
				[ -e "$root/$name$end" ] && continue 3
			done
			[ -d "$root/$name" ] && continue 2
			ls "$root/$name"[_.]* >/dev/null 2>&1 && continue 2
		done
		echo "$page: there is no $name"
	done
	sed -n '/^## Four walks/,$p' $page | words |
		grep -E '^[a-z]+_[a-z_]+(\(\))?$' | sed 's/()//' |
		while read -r name; do
		grep -rqw --include='*.[chS]' "$name" src include && continue
		ls src/*/"$name".[ch] >/dev/null 2>&1 && continue
		echo "$page: there is no function or file $name"
	done
)
[ -z "$missing" ] && exit 0
printf '%s\n' "$missing"
exit 1
