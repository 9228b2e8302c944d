#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# demangle_d.sh NAME_OF - demangled names of D equal those of c++filt.
#
# The names are from Debian's libgphobos.a.  A name that one demangler leaves as it
# is does not count: c++filt before 2.41 leaves parameters with "return".
set -eu
name_of=$1
here=$(cd "$(dirname "$0")" && pwd)
command -v c++filt >/dev/null || { echo "skip: no c++filt"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

names=$here/d_names.txt
[ "$(echo _D1a1fFiZv | c++filt -s dlang)" = 'a.f(int)' ] ||
	{ echo "skip: c++filt does not demangle D"; exit 77; }
c++filt -s dlang <"$names" >"$work/theirs"
"$name_of" --demangle <"$names" >"$work/ours"
paste "$names" "$work/theirs" "$work/ours" | awk -F'\t' '
$1 == $2 || $1 == $3 { left++; next }
$2 != $3 { bad++; print }
END {
	print NR " names, " left " left, " bad + 0 " others"
	exit bad > 0 || left * 5 > NR
}'
