#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# soak_odd.sh SECONDS - soak_odd.c under `syscap record --sample`, by wall time,
# 20,000 times a second over all threads: no thread is harmed, and no frame is
# torn. If musl is installed, a musl program is started repeatedly, too.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
echo 'int main(void) { return 0; }' >"$dir/of_musl.c"
set -- "${1:-3}"
if musl-gcc -O1 "$dir/of_musl.c" -o "$dir/of_musl" 2>/dev/null; then
	set -- "$1" "$dir/of_musl"
fi
# fifteen threads, the first thread, and their child processes
"$SYSCAP" record --sample=1250,wall -o "$dir/capture" -- \
	"$SYSCAP_TEST_BIN/soak_odd" "$@"
"$SYSCAP" check "$dir/capture"
"$SYSCAP" dump --type sample "$dir/capture" | grep -q dig || {
	echo "there is no sample of who is deep in a recursion"
	exit 1
}
