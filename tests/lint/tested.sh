#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tested.sh [TREE] - check that each row of docs/contexts.md's tables of
# contexts names existing tests, or the reason for their absence.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}"
page=docs/contexts.md

# DIRECTORY.NAME of each row; a name without a directory belongs to the previous
# directory
named() {
	sed -n '/^| context |/,/^$/p' $page | sed '/^| context |/d; /^|---/d; /^$/d' |
		awk -F ' [|] ' '{
			sub(/ *[|]$/, "", $NF)
			if (NF != 3 || $NF == "")
				print "a row without a test: " $1
			if ($NF ~ /^none: ./)
				next
			gsub(/ *\([^)]*\)/, "", $NF)
			n = split($NF, names, /, */)
			folder = ""
			for (i = 1; i <= n; i++) {
				if (names[i] ~ /[.]/)
					folder = names[i]
				else
					names[i] = folder "." names[i]
				sub(/[.].*/, "", folder)
				print names[i]
			}
		}'
}

missing=$(named | sort -u | while read -r name; do
	case $name in
	*' '*)
		echo "$page: $name"
		continue
		;;
	esac
	folder=tests/${name%%.*} test=${name#*.}
	test=${test%_whole}
	for file in "$folder/test_$test.c" "$folder/$test.sh"; do
		[ -e "$file" ] && continue 2
	done
	[ "$test" = '*' ] && [ -d "$folder" ] && continue
	echo "$page: there is no test $name"
done)
[ -z "$missing" ] && exit 0
printf '%s\n' "$missing"
exit 1
