#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# real.sh - `syscap stat` and every export equal the independent reader, without
# and with 50 random filters, in both byte orders.  The captures are of stock
# GTK 4 and GJS programs, and of a program with lost events.
#
# SEED=N repeats a run's filters, but not its recordings.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
for program in python3 gtk4-widget-factory gtk4-demo gjs xvfb-run xauth; do
	command -v $program >/dev/null ||
		{ echo "skip: there is no $program"; exit 77; }
done
protoc=$(command -v protoc || true)
[ -n "$protoc" ] || echo "there is no protoc: perfetto is left out"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -m 700 "$dir/run"
export HOME="$dir" XDG_RUNTIME_DIR="$dir/run"
seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "SEED=$seed"
export SEED="$seed"

# record NAME SECONDS PROGRAM...: a timeout ends PROGRAM
record_shown() {
	name=$1 seconds=$2 status=0
	shift 2
	xvfb-run -a "$SYSCAP" record --sample -o "$dir/$name" -- \
		timeout "$seconds" "$@" >"$dir/log" 2>&1 || status=$?
	[ $status = 124 ] || { cat "$dir/log"; echo "status $status"; exit 1; }
}
record_shown demo 10 gtk4-demo --run=shadertoy
record_shown factory 10 gtk4-widget-factory
cat >"$dir/busy.js" <<'END'
function inner(n) { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s; }
function outer(n) { return inner(n) + inner(n / 2); }
let sum = 0;
for (let i = 0; i < 20000; i++) sum += outer(20000);
0; // what a script ends with is gjs's exit status
END
"$SYSCAP" record -q --sample -o "$dir/gjs" -- gjs "$dir/busy.js"

# Searches a ring size with which this machine loses some events, but not all.
for kib in 64 48 40 32 16 8 4; do
	"$SYSCAP" record -q --force --sample --ring-kib=$kib \
		--drain-interval=20 -o "$dir/lost" -- \
		"$SYSCAP_TEST_BIN/compare_mix" 8000
	"$SYSCAP" stat --json "$dir/lost" | python3 -c 'import json, sys
told = json.load(sys.stdin)
lost, marks = told["lost"]["frames"], told["frames"].get("mark", 0)
print("lost %.2f %% of the frames" % (100 * lost / max(lost + marks, 1)))
sys.exit(not lost > marks / 200)' && break
done
for name in demo factory gjs lost; do
	python3 "$here/../profile/turn.py" "$dir/$name" "$dir/$name.big"
done
set -- "$dir/demo" "$dir/demo.big" "$dir/factory" "$dir/factory.big" \
	"$dir/gjs" "$dir/gjs.big" "$dir/lost" "$dir/lost.big"
FILTERS=50 python3 "$here/../profile/compare.py" "$SYSCAP" "$@" 2>"$dir/err" ||
	{ cat "$dir/err"; exit 1; }
python3 "$here/equal.py" "$SYSCAP" "$protoc" 50 "$@" 2>"$dir/err" ||
	{ cat "$dir/err"; exit 1; }
