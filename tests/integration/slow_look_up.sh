#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# slow_look_up.sh - a first tick that comes while the preloaded library looks up
# functions.  The thread still gets its ring, and no mark is lost.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

slow=$SYSCAP_TEST_BIN/slow_look_up.so
[ -f "$slow" ] || { echo "there is no $slow"; exit 1; }
for options in --sample=1000,wall --sample=1000,cpu "--sample=1000,wall --memory" \
	"--sample=1000,wall --io --stalls"; do
	# shellcheck disable=SC2086
	LD_PRELOAD=$slow "$SYSCAP" record -q --force --no-symbols $options \
		-o r.syscap -- "$SYSCAP_TEST_BIN/std_fds" events ||
		{ echo "$options: $?"; exit 1; }
	n=$("$SYSCAP" dump --type mark r.syscap | grep -c '"std"' || true)
	[ "$n" = 20 ] || { echo "$options: $n of 20 marks"; exit 1; }
done
