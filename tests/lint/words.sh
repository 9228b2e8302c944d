#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# words.sh [TREE] - check that the numbers of three faults of the style sheet
# (CONTRIBUTING) do not rise in any directory.  The faults are clauses that
# begin with a free "who", "what" or "where", uses of "tell", and sentences of
# more than 25 words.
#
# words.txt has the numbers.  UPDATE=1 lowers the numbers and adds new
# directories.  LIST=src/cli prints the faults of a directory.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}"
table=tests/lint/words.txt

count() {
	"$here/files.sh" '*.md' '*.[chS]' '*.cpp' '*.hpp' '*.js' '*.mjs' '*.ts' \
		'*.vala' '*.py' '*.sh' '*.cmake' '*CMakeLists.txt' '*.[1-8]' |
		grep -vE '^tests/lint/words|/corpus/|^build' |
		xargs "${AWK:-awk}" -v list="${1:-}" -f "$here/words.awk"
}

if [ -n "${LIST:-}" ]; then
	count "$LIST"
	exit 0
fi
# xargs may start awk more than once
count | awk '
	{ free[$1] += $2; tell[$1] += $3; long[$1] += $4 }
	END { for (area in free) print area, free[area], tell[area], long[area] }
' | LC_ALL=C sort | awk -v table="$table" -v update="${UPDATE:-}" '
function least(a, b) { return a < b ? a : b }
BEGIN {
	while ((getline line <table) > 0) {
		if (split(line, f, " ") < 4 || line ~ /^#/)
			continue
		known[f[1]] = 1
		free[f[1]] = f[2]; tell[f[1]] = f[3]; long[f[1]] = f[4]
	}
	close(table)
	if (update) {
		print "# Directory, free who/what/where, tell, sentences of over 25 words: see words.sh" >table
		print "# Empty lines between the rows let parallel changes merge." >table
	}
}
{
	if (!($1 in known)) {
		free[$1] = $2; tell[$1] = $3; long[$1] = $4
		if (!update && $2 + $3 + $4 > 0)
			missing[$1] = 1
	} else if ($2 > free[$1] || $3 > tell[$1] || $4 > long[$1]) {
		print $1 ": free who/what/where " $2 " (" free[$1] " allowed), tell " \
			$3 " (" tell[$1] "), long sentences " $4 " (" long[$1] ")"
		print "\tLIST=" $1 " tests/lint/words.sh shows them"
		bad = 1
	}
	if (update)
		print "\n" $1, least(free[$1], $2), least(tell[$1], $3), least(long[$1], $4) >table
}
END {
	for (area in missing) {
		print area ": no row in " table "; UPDATE=1 tests/lint/words.sh adds it"
		bad = 1
	}
	exit bad
}'
