#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# soak_odd.sh SECONDS - under `syscap record --sample`, by wall, 20,000 times a second
# in all threads of soak_odd.c: nobody comes to harm, and no frame is torn.
# If there is musl, a program of it is started over and over, too.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
echo 'int main(void) { return 0; }' >"$dir/of_musl.c"
set -- "${1:-3}"
if musl-gcc -O1 "$dir/of_musl.c" -o "$dir/of_musl" 2>/dev/null; then
	set -- "$1" "$dir/of_musl"
fi
# fifteen threads, the first one, and what they start
"$SYSCAP" record --sample=1250,wall -o "$dir/capture" -- \
	"$SYSCAP_TEST_BIN/soak_odd" "$@"
"$SYSCAP" check "$dir/capture"
"$SYSCAP" dump --type sample "$dir/capture" | grep -q dig || {
	echo "there is no sample of who is deep in a recursion"
	exit 1
}
