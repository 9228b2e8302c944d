#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests.sh [TREE] - in a folder that src/ has too, test_NAME.c and
# test_NAME_ASPECT.c test the file NAME of that folder, and the scripts of
# cli/NAME/ the command of that name.  tests.txt lists what tests more than one
# file, with the reason.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}"

{
	sed 's/#.*//; s/^/listed /' "$here/tests.txt"
	find src -name '*.[ch]' | sed 's/^/source /'
	find tests -name 'test_*.c' -o -path 'tests/cli/*/*.sh' |
		LC_ALL=C sort | sed 's/^/test /'
} | awk '
function complain(text) { print text; bad = 1 }
$1 == "listed" && NF > 1 { listed["tests/" $2] = 1 }
$1 == "source" {
	file = $2
	sub(/^src\//, "", file)
	sub(/\.[ch]$/, "", file)
	sub(/^cli\/cmd_/, "cli/", file)
	source[file] = 1
	sub(/\/.*/, "", file)
	layer[file] = 1
}
$1 == "test" {
	split($2, part, "/")
	if (!(part[2] in layer))
		next
	name = $2
	sub(/^tests\//, "", name)
	sub(/\/[^\/]*\.sh$/, "", name)
	sub(/\.c$/, "", name)
	sub(/\/test_/, "/", name)
	while (!(name in source) && sub(/_[^_\/]*$/, "", name))
		;
	if (name in source) {
		if ($2 in listed)
			complain("tests.txt: " $2 " tests src/" name)
	} else if (!($2 in listed)) {
		complain($2 ": src/" part[2] "/ has no file of that name")
	}
	delete listed[$2]
}
END {
	for (file in listed)
		complain("tests.txt: there is no " file " to list")
	exit bad
}'
