#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh - cost of each language's calls, with and without a recorder.  x is the
# ratio to the language's own no-op call in the same run.
#
# The script reads SYSCAP, SYSCAP_GI (the build directory), and, if set,
# BENCH_C, GJS, GI_PYTHON.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$SYSCAP_GI:$SYSCAP_GI/bench"
export GI_TYPELIB_PATH="$LD_LIBRARY_PATH"
export GJS_PATH="$SYSCAP_GI/gjs" PYTHONPATH="$SYSCAP_GI/python"

both() {
	name=$1
	shift
	echo "== $name, nothing is recorded"
	"$@"
	echo "== $name, recorded"
	"$SYSCAP" record -q --ring-kib=4096 -o "$work/bench.syscap" -- "$@"
	rm -f "$work/bench.syscap"
}

both C "$BENCH_C"
if [ -n "${GJS:-}" ]; then
	both GJS "$GJS" -m "$here/bench.js"
fi
if [ -n "${GI_PYTHON:-}" ] && "$GI_PYTHON" -c 'import gi' 2>/dev/null; then
	both PyGObject "$GI_PYTHON" "$here/bench.py"
fi
