#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# runs.sh - `syscap diff` of runs with noise.  The results equal those of an
# independent program, without false changes, and with the planted changes, also
# in the exit status.
#
# make_run makes the same runs each time.  recordings.sh has real runs.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
if ! command -v python3 >/dev/null; then
	echo "skip: there is no python3"
	exit 77
fi
splits=20
if [ "${1:-}" = whole ]; then
	splits=500
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
make="$SYSCAP_TEST_BIN/make_run"
mkdir pool
i=1
while [ $i -le 40 ]; do
	"$make" pool/base$i.syscap $i 0 0 600
	"$make" pool/new$i.syscap $((i + 1000)) 15 10 600
	i=$((i + 1))
done

# expect STATUS ARGUMENT... - of diff, whose output goes to out.
expect() {
	wanted=$1
	shift
	status=0
	"$SYSCAP" diff "$@" >out 2>err || status=$?
	if [ "$status" != "$wanted" ]; then
		echo "diff $*: exit status $status instead of $wanted"
		cat out err
		exit 1
	fi
}

for sides in "1 2 3 4 5/1 2 3 4 5" "6 7 8/9 10 11 12" "13 14/15 16"; do
	set --
	for i in ${sides%/*}; do
		set -- "$@" pool/base$i.syscap
	done
	set -- "$@" --
	for i in ${sides#*/}; do
		set -- "$@" pool/new$i.syscap
	done
	python3 "$here/reference.py" "$SYSCAP" "$@"
done

python3 "$here/splits.py" "$SYSCAP" pool $splits

few="pool/base1.syscap pool/base2.syscap pool/base3.syscap pool/base4.syscap
pool/base5.syscap pool/base6.syscap pool/base7.syscap pool/base8.syscap"
changed="pool/new1.syscap pool/new2.syscap pool/new3.syscap pool/new4.syscap
pool/new5.syscap pool/new6.syscap pool/new7.syscap pool/new8.syscap"
same="pool/base11.syscap pool/base12.syscap pool/base13.syscap
pool/base14.syscap pool/base15.syscap pool/base16.syscap"
# shellcheck disable=SC2086
{
	expect 0 $few -- $changed
	expect 0 --fail-above 5% $few -- $same
	expect 1 --fail-above 5% $few -- $changed
	expect 1 --fail-above '4%:stir' $few -- $changed
	expect 0 --fail-above '5%:knead' $few -- $changed
	expect 1 --fail-above '2%:mix/beat' $few -- $changed
	expect 1 --fail-above '5%:knead' --fail-above '4%:st*' $few -- $changed
	expect 0 --fail-above 50% $few -- $changed
	# A decrease is no failure.
	expect 0 --fail-above 1% $changed -- $few
	# Options may come after the dashes.
	expect 1 $few -- $changed --fail-above=5% --json
	# The output is the same each time.
	expect 0 --json $few -- $changed
	mv out first
	expect 0 --json $few -- $changed
	cmp first out
	# One run compared with several.
	expect 0 --fail-above 5% $few -- pool/base20.syscap
	expect 1 --fail-above '1%:mix/beat' $few $same -- pool/new2.syscap
}

# One run each: diff compares blocks of time, and reports what is unknown.
expect 0 pool/base1.syscap pool/base1.syscap
grep -q 'the difference between runs is unknown' out
grep -q '^Functions.*: 0 of ' out
expect 0 --json pool/base1.syscap pool/new1.syscap
grep -q '"units":"blocks","base_units":10' out

# A hundred thousand durations make half a per cent no failure.
for i in 1 2 3; do
	"$make" many$i.syscap $i 0 0 100000
	"$make" more$i.syscap $((i + 100)) 0 0.5 100000
done
expect 0 --fail-above 5% many1.syscap more1.syscap
expect 0 --fail-above 5% many[123].syscap -- more[123].syscap
expect 0 --fail-above '1%:mix/beat' many1.syscap more1.syscap
