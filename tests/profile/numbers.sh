#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# numbers.sh - functions, threads and stacks of `syscap stat` equal those of an
# independent reader: unfiltered, through filters, after transforms.
#
# Uses samples by a timer and the program's own samples, in both byte orders,
# and with names looked up afterwards.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
if ! command -v python3 >/dev/null; then
	echo "skip: there is no python3"
	exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
ms=150 filters=8
if [ "${1:-}" = whole ]; then
	ms=1000 filters=60
fi

SYSCAP_SAMPLE=1000 "$SYSCAP" record -o little.syscap -- \
	"$SYSCAP_TEST_BIN/profile_work" $ms 2>record.err
cat record.err
# The output ends with the three hottest functions, the first of stat's table.
"$SYSCAP" stat --json --functions 3 little.syscap |
	python3 -c 'import json, sys; hot = json.load(sys.stdin)["hot"]
for f in [f for f in hot["functions"] if f["self"]]:
	share = 100 * f["self"] / hot["total"]
	where = "  (%s)" % f["binary"] if f["binary"] else ""
	print("syscap record: %5.1f %%  %s%s" % (share, f["name"], where))' \
		>hottest
grep '%  ' record.err | diff -u hottest -
python3 "$here/turn.py" little.syscap big.syscap
FILTERS=$filters python3 "$here/compare.py" "$SYSCAP" little.syscap big.syscap

# Inlined functions and lines add no time, and the time of a function with code
# is the same with and without them.
SYSCAP_SAMPLE=1000 "$SYSCAP" record -q -o plain.syscap -- \
	"$SYSCAP_TEST_BIN/profile_inlined" $ms
if "$SYSCAP" symbolize -q --force --lines -o lined.syscap plain.syscap \
	2>err; then
	python3 "$here/turn.py" lined.syscap turned.syscap
	FILTERS=$filters python3 "$here/compare.py" "$SYSCAP" lined.syscap \
		turned.syscap
	python3 "$here/inlined.py" "$SYSCAP" plain.syscap lined.syscap
	# A child without mappings of its own has the lines of its parent.
	python3 "$here/forked.py" lined.syscap forked.syscap
	FILTERS=$filters python3 "$here/compare.py" "$SYSCAP" forked.syscap
	for file in lined forked; do
		"$SYSCAP" stat --json --lines $file.syscap | python3 -c \
			'import json, sys; print(json.load(sys.stdin)["lines"])' >$file.lines
	done
	diff -u lined.lines forked.lines
else
	grep libdw err
fi

# Samples in syscap's own code, below the allocator and elsewhere.
# A sanitized program has another allocator, and is not sampled.
if [ -z "${SYSCAP_SANITIZE:-}" ]; then
	"$SYSCAP" record -q --sample --memory -o memory.syscap -- \
		"$SYSCAP_TEST_BIN/profile_work" $ms
	FILTERS=$filters python3 "$here/compare.py" "$SYSCAP" memory.syscap
fi

# stat looks up the names that symbolize would have written.  Ticks hit a random
# function of the program, but surely one of these.
SYSCAP_SAMPLE=1000 "$SYSCAP" record -q --no-symbols -o bare.syscap -- \
	"$SYSCAP_TEST_BIN/profile_work" $ms
own='"(sort_numbers|compare|fibonacci)"'
"$SYSCAP" symbolize -q -o named.syscap bare.syscap
for file in bare named; do
	"$SYSCAP" stat --json --tree $file.syscap |
		python3 -c 'import json, sys; print(json.dumps(
			json.load(sys.stdin)["hot"], indent=1))' >$file.json
done
diff -u named.json bare.json
if ! grep -Eq "$own" bare.json; then
	echo "the program's own functions have no names"
	exit 1
fi
# Without the look-up, stat equals the reader without names.
"$SYSCAP" stat --json --no-lookup bare.syscap >bare.json
if grep -Eq "$own" bare.json; then
	echo "--no-lookup looks up"
	exit 1
fi
