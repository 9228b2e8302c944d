#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# corpus.sh MAKE_CORPUS [NAME] - the committed captures in corpus/NAME (reader)
# are what MAKE_CORPUS writes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$1" "$work"
for file in "$work"/*; do
	cmp "$file" "$here/corpus/${2:-reader}/$(basename "$file")"
done
