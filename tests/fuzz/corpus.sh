#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# corpus.sh MAKE_CORPUS DIRECTORY... - the committed files of corpus/DIRECTORY equal
# the output of MAKE_CORPUS DIRECTORY.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make=$1
shift

for folder; do
	mkdir "$work/$folder"
	"$make" "$folder" "$work/$folder"
	for file in "$work/$folder"/*; do
		cmp "$file" "$here/corpus/$folder/$(basename "$file")"
	done
done
