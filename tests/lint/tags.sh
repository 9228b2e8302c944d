#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tags.sh [TREE] - a tag that more than one file may know stands for one thing:
# struct syc_page is not a page of the viewer here, and one of a report there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}"
# What a machine has a file of its own for
find src include -name '*.[ch]' ! -name 'machine_*.h' | LC_ALL=C sort |
	xargs grep -HoE '^(struct|union|enum) (syc|syscap)_[a-z0-9_]+ \{' |
	awk -F: '
	{
		files[$2] = files[$2] " " $1
		if (++n[$2] == 2)
			twice[$2] = 1
	}
	END {
		for (tag in twice) {
			sub(/ \{$/, "", tag)
			print tag ":" files[tag " {"]
			bad = 1
		}
		exit bad
	}'
