#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# soak.sh SECONDS - run soak, and check that its capture has no torn frame.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$SYSCAP_TEST_BIN/soak" "${1:-3}" "$dir/capture"
for capture in "$dir"/capture*; do
	case $capture in *.rings*) continue ;; esac
	"$SYSCAP" check "$capture" >"$dir/said" || { cat "$dir/said"; exit 1; }
done
tail -n 1 "$dir/said"
