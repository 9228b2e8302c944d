#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# opening.sh - a page opens at the last seconds before a crash, or before a stall
# that did not end.  The page marks and names this moment.  The page of a process
# in flight mode opens at the end.  All other pages open with the whole time.  The
# stack of a crash is in no sum.
set -eu
: "${SYSCAP:?}" "${SYSCAP_SOURCE:?}" "${SYSCAP_TEST_BIN:?}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/needs.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" PICTURES="${PICTURES:-$SYSCAP_TEST_BIN/../../pictures}"
python3 "$here/opening.py" "$dir"
cd "$dir"

fail() {
	echo "$*"
	exit 1
}

for name in plain crash stall ended flight; do
	"$SYSCAP" report -o $name.html $name.syscap 2>err || fail "$(cat err)"
done
"$SYSCAP" report --redact -o redacted.html crash.syscap 2>err || fail "$(cat err)"
node "$here/opening.mjs" "$dir"

# The crash is in no sum
for name in plain crash only; do
	"$SYSCAP" stat --functions 1000 $name.syscap >$name.stat
	"$SYSCAP" stat --json $name.syscap >$name.json
	"$SYSCAP" export --format folded $name.syscap >$name.folded 2>err
done
cmp plain.folded crash.folded
grep -v "^  crashed \|^             in \|^  recorded\|log\|^  error" crash.stat | sed 1d >a
grep -v "^  recorded\|log\|^  error" plain.stat | sed 1d >b
cmp a b || fail "$(diff a b)"
grep -q '^  crashed    thread 11 of process 10: SIGSEGV at address 0x10: no' only.stat ||
	fail "$(cat only.stat)"
grep -q '^             in faulty, called by caller, main$' only.stat ||
	fail "$(cat only.stat)"
! grep 'hottest\|Hot functions' only.stat || fail "a crash is no sample"
python3 - <<'EOF'
import json
crash = json.load(open("only.json"))
assert crash["crash"] == {
    "pid": 10, "tid": 11, "time_ns": 9000000000, "count": 1,
    "message": "SIGSEGV at address 0x10: no memory is mapped",
    "stack": ["crashed by SIGSEGV", "faulty", "caller", "main"]}, crash["crash"]
assert crash["samples"]["count"] == 0 and "functions" not in crash, crash
EOF
"$SYSCAP" view --snapshot flame --size 96x16 crash.syscap >screen
grep -q '^everything  .*process 10 crashed by SIGSEGV at address 0x10 after 8' screen ||
	fail "$(cat screen)"
"$SYSCAP" check crash.syscap only.syscap >checked || fail "$(cat checked)"
"$SYSCAP" dump --type sample only.syscap >dump
grep -q '="crashed by SIGSEGV" .*="main".* crashed$' dump || fail "$(cat dump)"
