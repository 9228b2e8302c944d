#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# weight.sh DIRECTORY - check of sizes.  No part of the library is larger than
# bounds.txt allows, and docs/weight.md agrees with parts.sh to a KiB.  A
# recorder records a program without the code for its own recording.
#
# The variables are SYSCAP (the command; may be unset), SYSCAP_SOURCE and CC.
set -eu
archives=$1
here=$(cd "$(dirname "$0")" && pwd)
case $(uname -m),$("${CC:-gcc}" --version | head -n 1) in
x86_64,*gcc* | x86_64,cc*) ;;
*)
	echo "skip: the bounds are those of gcc on x86-64"
	exit 77
	;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! grep -q -- ' -O2 ' "$archives/CMakeFiles/syscap.dir/flags.make"; then
	echo "skip: the archives are not compiled with -O2"
	exit 77
fi
sh "$here/parts.sh" "$archives" "$work" >"$work/parts"
cat "$work/parts"

awk '
FILENAME == ARGV[1] {
	if ($1 !~ /^#/ && NF == 4) {
		text[$1] = $2 * 1024
		bss[$1] = $3 * 1024
	}
	next
}
!($1 in text) {
	print $1 ": has no bounds"
	bad = 1
	next
}
$2 > text[$1] || $3 > bss[$1] {
	printf "%s: %.1f KiB and %.1f of bss, bounds are %d and %d\n", $1,
		$2 / 1024, $3 / 1024, text[$1] / 1024, bss[$1] / 1024
	bad = 1
}
END { exit bad }' "$here/bounds.txt" "$work/parts"

# Rows of the tables in the docs, by their titles
for file in docs/weight.md; do
	awk -v file="$file" '
FILENAME == ARGV[1] {
	n = $2 / 1024
	$1 = $2 = $3 = ""
	sub(/^ */, "")
	size[$0] = n
	next
}
/^\| .* KiB \|/ {
	split($0, cell, / *\| */)
	if (!(cell[2] in size))
		next
	rows++
	told = cell[3] + 0
	if (told > size[cell[2]] + 1 || told < size[cell[2]] - 1) {
		printf "%s: %s: %s, but it is %.1f KiB\n", file, cell[2],
			cell[3], size[cell[2]]
		bad = 1
	}
}
END {
	if (rows < 4) {
		print file ": has no table of parts"
		bad = 1
	}
	exit bad
}' "$work/parts" "$SYSCAP_SOURCE/$file"
done

if [ -z "${SYSCAP:-}" ]; then
	echo "left out: there is no command to record with"
	exit 0
fi
unset SYSPROF_CONTROL_FD SYSPROF_TRACE_FD SYSCAP_SAMPLE
cd "$work"
"$SYSCAP" record -q -o capture -- ./recorder
"$SYSCAP" check capture
"$SYSCAP" stat capture | grep -Eq "app +step +1 "
SYSCAP_DEBUG=1 SYSCAP_OUTPUT=out ./recorder 2>said
cat said
grep -q "records only under a recorder" said
[ ! -e out ]
