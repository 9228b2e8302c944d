#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# names.sh ARCHIVE... - check that linked code shares no name with programs:
# every global of an archive begins with syscap_, SYSCAP_, sysprof_ (the
# interface of libsysprof-capture-4) or syc_.
set -eu

if [ -n "${SYSCAP_SANITIZE:-}" ]; then
	echo "skip: sanitizers add symbols of their own"
	exit 77
fi
for archive; do
	nm -g --defined-only "$archive" | sed "s|^|$(basename "$archive") |"
done | awk '
NF == 2 { member = $2 }
NF == 4 { n++ }
NF == 4 && $4 !~ /^(syscap|SYSCAP|sysprof|syc)_/ {
	print $1 ": " member " defines " $4
	bad = 1
}
END {
	if (n == 0)
		print "no globals: is this an archive?"
	exit bad || n == 0
}'
