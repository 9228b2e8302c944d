#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# defects.sh TABLE [DEFECT]... - the drop-in has none of the reference's known
# defects.
#
# TABLE has a line for each defect: its name, the program that checks for the
# defect, and either `shown` or `not on 3.46: REASON`.  The program exists
# twice, PROGRAM_ours and PROGRAM_ref, and gets the defect's name and an empty
# directory as arguments.  The exit status is 0 without the defect, 2 if the
# test itself failed, and 77 if the library lacks the feature.  Any other end,
# also by a signal or a time limit, is the defect.
#
# PROGRAM_ours must have no defect.  PROGRAM_ref must have each defect that is
# `shown`, as a check that the reference passes proves nothing.
#
# Reads SYSCAP_TEST_BIN (directory of the programs) and REF_FILE (set: the
# reference's exist too).  If SYSCAP_SANITIZE is set, the reference's are
# useless, because the sanitizer finds other errors in them.
set -u
table=$1
shift
limit=60 # seconds; programs have shorter limits for parts that may hang
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

with_ref=1
if [ -z "${REF_FILE:-}" ]; then
	echo "there is no sysprof-capture-4: only ours is looked at"
	with_ref=
elif [ -n "${SYSCAP_SANITIZE:-}" ]; then
	echo "a sanitized build: only ours is looked at"
	with_ref=
fi

# Programs exit without cleanup, which some of these tests need.
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

# run PROGRAM DEFECT: returns its status, with its output in $why
run() {
	rm -rf "$work/files"
	mkdir "$work/files"
	timeout -k 2 $limit "$SYSCAP_TEST_BIN/$1" "$2" "$work/files" \
		</dev/null >"$work/said" 2>&1
	status=$?
	why=$(grep -v '^$' "$work/said" | head -n 1 | cut -c 1-160)
	case $status in
	124 | 137) why="not done after $limit s" ;;
	esac
	return $status
}

# fail TEXT: prints this defect's line
fail() {
	echo "$name: FAILED, $1"
	sed 's/^/	/' "$work/said"
	failed=1
}

n=0
while read -r name program how; do
	case "$name/ $* " in
	*/"  ") ;;             # all defects
	*/*" $name "*) ;;
	*) continue ;;
	esac
	n=$((n + 1))
	if run "${program}_ours" "$name"; then
		:
	else
		fail "the test with our library ends with $status"
		continue
	fi
	case $how in
	shown)
		if [ -z "$with_ref" ]; then
			echo "$name: not ours"
			continue
		fi
		run "${program}_ref" "$name"
		case $status in
		0) fail "the test does not find the defect in the reference" ;;
		2 | 77 | 126 | 127) fail "the test with the reference ends with $status" ;;
		*) echo "$name: not ours; the reference: ${why:-$status}" ;;
		esac
		;;
	"not on 3.46: "?*) echo "$name: not ours; $how" ;;
	*) fail "the defect is neither shown nor excluded with a reason" ;;
	esac
done <"$table"

if [ $n -eq 0 ]; then
	echo "$table has no such defect"
	exit 1
fi
exit $failed
