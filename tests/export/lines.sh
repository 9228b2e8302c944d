#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# lines.sh - exports have the source lines and inlined functions that an
# independent reader finds in the capture.  pprof has inlined functions as lines
# of a location, other formats as marked frames.
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
SYSCAP_SAMPLE=1000 "$SYSCAP" record -q -o "$dir/plain.syscap" -- \
	"$SYSCAP_TEST_BIN/profile_inlined" 150
if ! "$SYSCAP" symbolize -q --force --lines -o "$dir/work.syscap" \
	"$dir/plain.syscap" 2>"$dir/err"; then
	cat "$dir/err"
	grep -q libdw "$dir/err" || exit 1
	exit 77
fi
go=$(command -v go || true)
[ -n "$go" ] || echo "there is no go: pprof is left out"
annotate=$(command -v callgrind_annotate || true)
[ -n "$annotate" ] || echo "there is no callgrind_annotate: it is not asked"
protoc=$(command -v protoc || true)
[ -n "$protoc" ] || echo "there is no protoc: perfetto is left out"
python3 "$here/lines.py" "$SYSCAP" "$dir/work.syscap" "$go" "$annotate" \
	"$protoc"
