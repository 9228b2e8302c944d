#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# browser.sh [whole] - the page in a real browser.  The state of the page agrees
# with an independent reader.  A walk through all views causes no request, no
# error and no finding of axe-core.
set -eu
: "${SYSCAP:?}" "${SYSCAP_SOURCE:?}" "${SYSCAP_TEST_BIN:?}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/needs.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir"
filters=20
[ "${1:-}" != whole ] || filters=50
seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "SEED=$seed"
export SEED="$seed"
# Pictures for CI's artifacts.
export PICTURES="${PICTURES:-$SYSCAP_TEST_BIN/../../pictures}"
python3 "$here/../export/rich.py" "$dir/rich.syscap" "$seed"
"$SYSCAP" record --sample=1000 -q -o "$dir/work.syscap" -- \
	"$SYSCAP_TEST_BIN/profile_work" 100
for name in rich work; do
	"$SYSCAP" report -o "$dir/$name.html" "$dir/$name.syscap" 2>"$dir/err" ||
		{ cat "$dir/err"; exit 1; }
	python3 "$here/cases.py" "$dir/$name.syscap" "$dir/$name.html" $filters \
		>"$dir/$name.json"
	node "$here/equal.mjs" "$dir/$name.html" "$dir/$name.json"
done
"$SYSCAP" report -o "$dir/pair.html" "$dir/rich.syscap" "$dir/work.syscap" \
	2>"$dir/err" || { cat "$dir/err"; exit 1; }
python3 "$here/bounded.py" "$SYSCAP" "$dir"
"$SYSCAP" report --max-size=1 -o "$dir/bounded.html" "$dir/many.syscap" 2>"$dir/err" ||
	{ cat "$dir/err"; exit 1; }
node "$here/walk.mjs" "$dir/rich.html" "$dir/saved.html" "$dir/pair.html" \
	"$dir/bounded.html" "$@"
