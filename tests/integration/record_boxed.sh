#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_boxed.sh - a program whose filter kills at system calls other than its
# own survives each role of the preloaded library, and all roles, whether its
# filter allows their calls or not.  Unrecorded data is counted.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
program=$SYSCAP_TEST_BIN/record_boxed
n=100000

fail() {
	echo "$*"
	exit 1
}

status=0
"$program" 10 one || status=$?
if [ $status = 77 ]; then
	echo "skip: a filter of system calls can't be had"
	exit 77
fi
[ $status = 0 ] || fail "by itself: $status"

# lives SCENE OPTION... - the program survives OPTIONs; records to boxed.syscap
lives() {
	scene=$1
	shift
	rm -f boxed.syscap*
	# shellcheck disable=SC2086
	timeout 600 "$SYSCAP" record -o boxed.syscap "$@" -- \
		"$program" $n $scene >out 2>err ||
		fail "$scene: $*: $?: $(cat err)"
	"$SYSCAP" check boxed.syscap >/dev/null
}

# number NAME - the first NAME in `stat --json`
number() {
	"$SYSCAP" stat --json boxed.syscap | tr -d ' \n' |
		sed "s/.*\"$1\":{*\"*[a-z]*\"*:*\\([0-9]*\\).*/\\1/"
}

# sampled WORD... - exactly the functions burn_WORD were sampled
sampled() {
	"$SYSCAP" export -f folded boxed.syscap >folded 2>/dev/null || true
	for word in before boxed after in_thread; do
		is=no
		if grep -q "burn_$word" folded; then
			is=yes
		fi
		case " $* " in
		*" $word "*) want=yes ;;
		*) want=no ;;
		esac
		[ $is = $want ] ||
			fail "$scene: are there samples of burn_$word: $is"
	done
}

# ended N - the summary reports N threads as not recorded to their end
ended() {
	seen=$(sed -n 's/.*: recording of \([0-9]*\) threads* ended early: .*/\1/p' err)
	[ "${seen:-0}" = "$1" ] || fail "$scene: $1 threads ended: $(cat err)"
}

# Collectors that a usual filter allows
lives one --io=1us,waits
lives one --stalls=5ms,all
lives one --logs
lives one --memory=512K,mmap
# A full ring under the filter
lives one --memory --ring-kib=64
seen=$(number allocations)
[ "$seen" -ge $((2 * n)) ] || fail "of the first thread $seen blocks"
[ "$(number frames)" -ge $n ] || fail "no call of the second thread is counted"
ended 1

# Fewer blocks, as the next tests are about filters
n=1000
for scene in "one box" "one closed" "one closed errno" "two closed" \
	"again box" "again closed" \
	"all box" "all closed" refused; do
	lives "$scene" --memory=mmap --io=1us,waits --stalls=5ms,all --logs \
		--sample=1000,wall --stderr --counters
done
lives "one closed" --memory
lives "other closed" --memory=mmap --io=1us,waits --stalls=5ms,all --logs \
	--sample

# Ticks end only if the filter forbids their calls.  (By wall time, filtered
# waits return EINTR while ticks continue: see docs/sampling.md)
lives "one ticks" --sample
sampled before after
ended 0
lives "one box" --sample
sampled before
ended 1
lives "two closed" --sample
sampled before boxed
ended 1
lives "all closed" --sample
sampled before
ended 4
for clock in 1000 1000,perf; do
	lives "one closed" --sample=$clock
	sampled before
	ended 1
	lives "other closed" --sample=$clock
	sampled before after
	ended 1
	lives "refused closed" --sample=$clock
	sampled before after in_thread
	ended 0
done
