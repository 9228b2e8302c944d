#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# corpus.sh MAKE_CORPUS - the committed captures are what MAKE_CORPUS writes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$1" "$work"
for file in "$work"/*; do
	cmp "$file" "$here/corpus/reader/$(basename "$file")"
done
