#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# circles.sh OBJECTS [TREE] - who calls whom, as the linker sees it: a file
# uses only symbols of layers that layers.txt lets it include; and no file
# leads back to itself, by what it uses and what it includes.
# OBJECTS are as objects.sh takes them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
objects=$1
cd "${2:-$here/../..}"

if [ -n "${SYSCAP_SANITIZE:-}" ]; then
	echo "skip: sanitizers add symbols of their own"
	exit 77
fi
{
	sed 's/#.*//; s/^/layer /' "$here/layers.txt"
	"$here/objects.sh" "$objects"
	find src -name '*.[ch]' | LC_ALL=C sort | xargs awk '
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split($0, quoted, "\"")
		gsub(/^src\/|\.[ch]$/, "", FILENAME)
		sub(/\.h$/, "", quoted[2])
		print "includes " FILENAME " " quoted[2]
	}'
} | awk -f "$here/circles.awk"
