#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# stat/unsampled.sh - `stat` reports threads that could not be sampled: xz blocks
# all signals in the threads that compress.
set -eu
: "${SYSCAP:?}"
command -v xz >/dev/null || { echo "skip: there is no xz"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
head -c 300000 "$SYSCAP" >file
for threads in 1 2; do
	"$SYSCAP" record -q --force --sample -o x.syscap -- xz -kf -T$threads file
	"$SYSCAP" dump --type=metadata x.syscap >metadata
	"$SYSCAP" stat x.syscap >out
	if grep -q 'syscap.sampler.unsampled' metadata; then
		grep -Eq '^  unsampled  [1-9][0-9]* threads?.* could not be sampled' out ||
			{ cat out; exit 1; }
		echo "-T$threads: reported"
	else
		! grep unsampled out
	fi
done
