#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# diff/unsampled.sh - captures whose samples miss threads.  `diff` does not compare
# their functions, and `view`, `stat --json` and exports state the threads.  xz
# blocks all signals in the threads that compress.
set -eu
: "${SYSCAP:?}"
command -v xz >/dev/null || { echo "skip: there is no xz"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
head -c 3000000 "$SYSCAP" >file
for threads in 1 2; do
	"$SYSCAP" record -q --force --sample -o $threads.syscap -- \
		xz -kc -T$threads file >/dev/null
done
"$SYSCAP" dump --type=metadata 2.syscap | grep -q 'syscap.sampler.unsampled' ||
	{ echo "skip: this xz has no threads that block signals"; exit 77; }
fail() {
	echo "$1"
	cat out
	exit 1
}

"$SYSCAP" stat --json 2.syscap >out
grep -Eq '"unsampled":\{"threads":[1-9][0-9]*,"cpu_ns":[1-9][0-9]*,"is_misleading":true\}' \
	out || fail 'stat --json'
"$SYSCAP" stat --json 1.syscap >out
grep -q '"unsampled":{"threads":0,"cpu_ns":0,"is_misleading":false}' out ||
	fail 'stat --json of samples of all threads'

status=0
"$SYSCAP" diff --fail-above 1% 1.syscap 2.syscap >out || status=$?
test $status = 3 || fail "diff exits with $status"
head -n 1 out | grep -q '^functions are not comparable' || fail 'first line of diff'
sed -n 2p out | grep -Eq '^new: [1-9].* could not be sampled$' || fail 'diff'
! grep -Eq '[0-9] %|new  *function' out || fail 'diff states a change'
"$SYSCAP" diff --markdown 1.syscap 2.syscap >out || test $? = 3
head -n 1 out | grep -q '^functions are not comparable' || fail 'diff --markdown'
"$SYSCAP" diff --json 2.syscap 1.syscap >out || test $? = 3
grep -q '"base_unsampled":{"threads":[1-9]' out || fail 'diff --json'
grep -q '"functions_comparable":false' out || fail 'diff --json'
! grep -q '"kind":"function"[^}]*"change":[-0-9]' out || fail 'a change in diff --json'
"$SYSCAP" diff 1.syscap 1.syscap >out || fail 'diff of samples of all threads'
! grep -q sampled out || fail 'diff of samples of all threads'

# The viewer shows the missing samples even on a narrow screen.
for size in 40x8 80x8 150x8; do
	"$SYSCAP" view --snapshot=functions --size=$size 2.syscap >out
	head -n 1 out | grep -Eq 'samples missing$|could not be sampled$' ||
		fail "view --size=$size"
done
"$SYSCAP" view --snapshot=lost --size=90x8 2.syscap >out
sed 1,2d out | grep -q '^ *[1-9].* could not be sampled$' || fail 'view, page lost'
! grep -q 'nothing was lost' out || fail 'view: nothing was lost'

for format in perfetto chrome firefox speedscope pprof callgrind folded; do
	"$SYSCAP" export -f $format -o export 2.syscap 2>out
	grep -q 'note: .* could not be sampled' out || fail "export -f $format"
	test $format = folded && continue
	if test $format = pprof; then gzip -dc export >out; else cp export out; fi
	grep -aq 'could not be sampled' out ||
		{ echo "export -f $format has no note"; exit 1; }
done
"$SYSCAP" flamegraph 2.syscap 2>out >/dev/null
grep -q 'note: .* could not be sampled' out || fail flamegraph
