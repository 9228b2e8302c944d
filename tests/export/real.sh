#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# real.sh - `syscap stat` and every export equal the independent reader, without
# and with random filters.  Two captures, of a stock GTK 4 program and of a
# program with lost events, are compared in both byte orders.  The others are of
# six programs with all collectors, with blocked, stalled and allocated stacks.
#
# SEED=N repeats a run's filters, but not its recordings.
set -eu
: "${SYSCAP:?}" "${SYSCAP_SOURCE:?}" "${SYSCAP_TEST_BIN:?}"
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
for program in python3 gtk4-demo xvfb-run xauth; do
	command -v $program >/dev/null ||
		{ echo "skip: there is no $program"; exit 77; }
done
protoc=$(command -v protoc || true)
[ -n "$protoc" ] || echo "there is no protoc: perfetto is left out"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/../compat/record_programs.sh"
programs="sqlite make python node gjs widgets"
cd "$dir"
# shellcheck disable=SC2086
prepare_programs $programs
seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "SEED=$seed"
export SEED="$seed"

status=0
xvfb-run -a "$SYSCAP" record --sample -o demo -- \
	timeout 10 gtk4-demo --run=shadertoy >log 2>&1 || status=$?
[ $status = 124 ] || { cat log; echo "status $status"; exit 1; }

# Searches a ring size with which this machine loses some events, but not all.
for kib in 64 48 40 32 16 8 4; do
	"$SYSCAP" record -q --force --sample --ring-kib=$kib \
		--drain-interval=20 -o lost -- \
		"$SYSCAP_TEST_BIN/compare_mix" 8000
	"$SYSCAP" stat --json lost | python3 -c 'import json, sys
told = json.load(sys.stdin)
lost, marks = told["lost"]["frames"], told["frames"].get("mark", 0)
print("lost %.2f %% of the frames" % (100 * lost / max(lost + marks, 1)))
sys.exit(not lost > marks / 200)' && break
done

# compare FILTERS CAPTURE...
compare() {
	filters=$1
	shift
	FILTERS=$filters python3 "$here/../profile/compare.py" "$SYSCAP" "$@" 2>err ||
		{ cat err; exit 1; }
	python3 "$here/equal.py" "$SYSCAP" "$protoc" "$filters" "$@" 2>err ||
		{ cat err; exit 1; }
}
for name in demo lost; do
	python3 "$here/../profile/turn.py" $name $name.big
done
compare 50 demo demo.big lost lost.big
for name in $programs; do
	record_program $name --sample --lines --memory=64K --io --stalls --counters \
		--logs --stderr
	compare 20 $name.syscap
done
