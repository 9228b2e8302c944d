#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# layers.sh [TREE] - check of headers: layers.txt allows every #include in src/
# and include/, and the guard of src/LAYER/FILE.h is SYC_LAYER_FILE_H.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}"

find src include -name '*.[ch]' | LC_ALL=C sort | xargs awk '
function complain(text) { print text; bad = 1 }
FILENAME == table {
	if ($1 ~ /^#/ || NF == 0 || $1 == "hook")
		next
	for (i = 2; i <= NF; i++) {
		if ($i == "-")
			continue
		if (!($i in known))
			complain(FILENAME ":" FNR ": " $i " is not above " $1)
		may[$1, $i] = 1
	}
	known[$1] = may[$1, $1] = 1
	next
}
FNR == 1 {
	layer = ""
	if (split(FILENAME, part, "/") == 3 && part[1] == "src")
		layer = part[2]
	if (part[1] == "src" && !(layer in known))
		complain(FILENAME ":1: its folder is not in layers.txt")
	guard = toupper(FILENAME)
	sub(/^SRC/, "SYC", guard)
	gsub(/[\/.]/, "_", guard)
}
layer != "" && /^#ifndef SYC_[A-Z0-9_]*_H$/ && $2 != guard {
	complain(FILENAME ":" FNR ": the guard is not " guard)
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	n = split(quoted[2], to, "/")
	if (FILENAME ~ /^include\/sysprof-6\// && quoted[2] ~ /^sysprof-[a-z-]*\.h$/)
		next	# these headers are installed in one directory
	if (layer == "")
		complain(FILENAME ":" FNR ": public headers include <syscap/...> only: " quoted[2])
	else if (n != 2)
		complain(FILENAME ":" FNR ": not of the form layer/file.h: " quoted[2])
	else if (!((layer, to[1]) in may))
		complain(FILENAME ":" FNR ": " layer " may not include " quoted[2])
}
END { exit bad }' table="$here/layers.txt" "$here/layers.txt"
