#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# sample_cancel.sh - pthread_cancel() ends a thread as without syscap, and never
# within syscap's handler.  Later threads are sampled.  Cleanup handlers have
# the thread's own signal mask.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

for option in --sample=1000 --sample=1000,wall --sample=1000,perf \
	"--sample=1000 --io --memory"; do
	# shellcheck disable=SC2086 # several options
	timeout 100 "$SYSCAP" record -q --force $option -o r.syscap -- \
		"$SYSCAP_TEST_BIN/sample_cancel" 400 ||
		{ echo "$option: $?"; exit 1; }
	"$SYSCAP" export -f folded -o - r.syscap |
		awk '/;work_after/ { n += $NF } END { exit !(n > 200) }' ||
		{ echo "$option: later threads have no samples"; exit 1; }
done
