#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# hostile.sh - `syscap diff` ends with status 0, 1 or 3 for any content of the
# files, and all names in its output are text.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
tests=$(cd "$(dirname "$0")/.." && pwd)
export LC_ALL=C.UTF-8
if ! command -v python3 >/dev/null; then
	echo "skip: there is no python3"
	exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
step=499 is_whole=
if [ "${1:-}" = whole ]; then
	step=16 is_whole=1
fi

# check ARGUMENT...
check() {
	status=0
	timeout 60 "$SYSCAP" diff --fail-above 5% "$@" >"$dir/out" \
		2>"$dir/err" || status=$?
	case $status in 0 | 1 | 3) ;; *) status=bad ;; esac
	if [ $status = bad ] || grep -q -e 'runtime error' -e Sanitizer "$dir/err"; then
		echo "diff $*"
		cat "$dir/err"
		exit 1
	fi
}

whole=$tests/fuzz/corpus/reader/everything.syscap
n=0
for file in "$tests"/fuzz/corpus/reader/* "$tests"/fuzz/corpus/join/* \
	"$tests"/fuzz/corpus/dropin/* "$tests"/dropin/corpus/*/*; do
	[ -f "$file" ] || continue
	n=$((n + 1))
	check --all --min 0% --total "$file" "$whole"
	[ -n "$is_whole" ] || continue
	check --json --min 0% "$whole" "$file" -- "$file" "$whole"
	check --markdown --total --from 0 --to 1s --slowest 3 "$file" "$file"
done
echo "$n files"
size=$(wc -c <"$whole")
at=0
while [ "$at" -lt "$size" ]; do
	head -c "$at" "$whole" >"$dir/cut.syscap"
	check --all --min 0% "$dir/cut.syscap" "$whole"
	at=$((at + step))
done

i=1
while [ $i -le 6 ]; do
	"$SYSCAP_TEST_BIN/make_run" "$dir/plain.syscap" $i $((i > 3 ? 30 : 0)) \
		$((i > 3 ? 30 : 0)) 300
	# shellcheck disable=SC2016
	python3 -c 'import sys
data = open(sys.argv[1], "rb").read()
for name, other in ((b"stir", b"`|\x1b["), (b"serve", b"</s>\""),
                    (b"knead", b"@x\n|`"), (b"slice", b"]]>;\xff"),
                    (b"beat", b"``|\n"), (b"mix\0", b"\xe2\x80\xae\0"),
                    (b"bytes", b"=1\xff\"`")):
    data = data.replace(name, other)
open(sys.argv[2], "wb").write(data)' "$dir/plain.syscap" "$dir/run$i.syscap"
	i=$((i + 1))
done
for form in --all --markdown --json; do
	check --all $form "$dir"/run[123].syscap -- "$dir"/run[456].syscap
	python3 - $form "$dir/out" <<'END'
import json
import re
import sys

data = open(sys.argv[2], "rb").read()
text = data.decode("utf-8")
lines = text.splitlines()
assert lines == text.split("\n")[:-1], "a name ends a line"
if sys.argv[1] == "--json":
    rows = json.loads(text)["rows"]
    assert any(row["name"].startswith("`|") for row in rows)
else:
    for character in text:
        assert character == "\n" or ord(character) >= 32, "controls"
        assert ord(character) not in range(0x202A, 0x202F), "direction"
if sys.argv[1] == "--markdown":
    rows = [line for line in lines if line.startswith("| ")]
    assert len(rows) > 20
    for row in rows:
        # Six cells, whose names are code.
        cells = re.split(r"(?<!\\)\|", row)
        assert len(cells) == 8, row
        code = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", row)
        assert "`" not in code and "@" not in code and "<" not in code, row
END
done
