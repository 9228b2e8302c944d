#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# upward.sh OBJECTS [TREE] - what an object needs of another layer is defined in
# one that it may include, by layers.txt: an #include is not the only way up.
# upward.txt lists symbols and the layers that may need them all the same, with
# the reason.  OBJECTS are paths that end in LAYER/FILE.c.o, separated by
# semicolons.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
objects=$1
cd "${2:-$here/../..}"

{
	sed 's/#.*//; s/^/may /' "$here/upward.txt"
	sed 's/#.*//; s/^/layer /' "$here/layers.txt"
	IFS=';'
	# shellcheck disable=SC2086 # the separator is the semicolon
	nm -g $objects
} | awk '
$1 == "may" {
	for (i = 3; i <= NF; i++)
		may[$2, $i] = 1
	next
}
$1 == "layer" {
	for (i = 2; i <= NF; i++)
		below[$2, $i] = 1
	next
}
NF == 1 && /:$/ {
	n = split($1, part, "/")
	sub(/\.o:$/, "", part[n])
	file = part[n - 1] "/" part[n]
	layer = part[n - 1]
}
NF == 2 && $1 ~ /^[Uwv]$/ { needs[file, $2] = layer }
NF == 3 && $2 ~ /^[A-Z]$/ && $3 ~ /^(syscap|sc)_/ { home[$3] = layer }
END {
	for (key in needs) {
		split(key, of, SUBSEP)
		symbol = of[2]
		if (symbol in home && !((symbol, needs[key]) in may) &&
		    !((needs[key], home[symbol]) in below)) {
			print of[1] ": needs " symbol " of " home[symbol]
			bad = 1
		}
	}
	exit bad
}'
