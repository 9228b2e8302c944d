#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# statics.sh [TREE] - in what runs in programs, the name of a static function
# stands in one file: who looks for `settle` is to find one.  statics.txt lists
# those that may stand in several, for they mean the same there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}"

dirs=
for layer in base os share ring collect emit selfrec stack sample preload dropin; do
	[ ! -d src/$layer ] || dirs="$dirs src/$layer"
done
{
	sed 's/#.*//; s/^/listed /' "$here/statics.txt"
	# shellcheck disable=SC2086
	find $dirs -name '*.[ch]' | LC_ALL=C sort | xargs awk '
	function ended() {
		if (head ~ /\(/ && head !~ /[;=]/) {
			gsub(/__attribute__\(\([^)]*(\([^)]*\))?[^)]*\)\)/, "", head)
			sub(/[ \t]*\(.*/, "", head)
			sub(/.*[ \t*]/, "", head)
			if (head !~ /^syc_/)
				print "static " head " " substr(FILENAME, 5)
		}
		head = ""
	}
	FNR == 1 { head = "" }
	/^([A-Z_]+ )?static / { head = "" ; is_head = 1 }
	is_head && /^\{/ { is_head = 0; ended(); next }
	is_head { head = head " " $0 }
	is_head && /[;={]/ { is_head = 0; head = "" }'
} | awk '
$1 == "listed" && NF > 1 { listed[$2] = 1 }
$1 == "static" && !(($2, $3) in seen) {
	seen[$2, $3] = 1
	files[$2] = files[$2] " " $3
	if (++n[$2] == 2)
		twice[$2] = 1
}
END {
	for (name in twice)
		if (!(name in listed)) {
			print name " stands in" files[name]
			bad = 1
		}
	for (name in listed)
		if (!(name in twice)) {
			print "statics.txt: no longer in several files: " name
			bad = 1
		}
	exit bad
}'
