#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# record_memory.sh [whole] - `syscap record --memory` equals a program's own
# counts; its leaks equal valgrind's; programs behave as without --memory.
set -eu
: "${SYSCAP:?}" "${SYSCAP_TEST_BIN:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
program=$SYSCAP_TEST_BIN/record_memory
n=1000000
[ "${1:-}" != whole ] || n=10000000

fail() {
	echo "$*"
	exit 1
}

# lost CAPTURE - number of lost frames
lost() {
	"$SYSCAP" stat --json "$1" | tr -d ' \n' |
		sed 's/.*"lost":{"frames":\([0-9]*\).*/\1/'
}

# Every allocation, freed by other threads, also in children
"$SYSCAP" record -q --no-symbols --memory -o all.syscap -- \
	"$program" $n 4 3 counted
"$SYSCAP" check all.syscap >/dev/null
"$SYSCAP_TEST_BIN/record_memory_count" all.syscap "$program" >seen
diff counted seen || fail "the capture differs from the program's counts"
rm all.syscap

# Allocations in unusual contexts; samples have no effect on the result
odd=$SYSCAP_TEST_BIN/record_memory_odd
for sample in --no-symbols --sample=1000,wall; do
	"$SYSCAP" record -q --no-symbols $sample --memory -o odd.syscap -- \
		"$odd" counted
	"$SYSCAP_TEST_BIN/record_memory_count" odd.syscap "$odd" >seen
	diff counted seen || fail "odd: the capture differs from the program's counts"
	rm odd.syscap*
done

# If even the clock is forbidden
"$SYSCAP" record -q --no-symbols --memory -o odd.syscap -- \
	"$SYSCAP_TEST_BIN/sample_odd" strict || fail "strict: $?"
rm odd.syscap*

# With a library whose clock frees and allocates
clock=$SYSCAP_TEST_BIN/record_memory_clock.so
[ -e "$clock" ]
LD_PRELOAD=$clock \
	"$SYSCAP" record -q --no-symbols --memory -o odd.syscap -- \
	"$odd" counted || fail "beside another clock: $?"
"$SYSCAP_TEST_BIN/record_memory_count" odd.syscap "$odd" >seen
diff counted seen || fail "another clock: the capture differs from the program's counts"
rm odd.syscap

# Exactly the incomplete stack is marked as incomplete
if [ "$(uname -m)" = x86_64 ]; then
	"$SYSCAP" record -q --no-symbols --memory -o way.syscap -- \
		"$odd" stopped -
	"$SYSCAP" dump --type=allocation way.syscap >way
	[ "$(grep 'size 88 ' way | grep -c stopped)" = 1 ] ||
		fail "an end that was not found: $(cat way)"
	! grep 'size [1-9]' way | grep -v 'size 88 ' | grep stopped ||
		fail "a whole stack is not recorded"
	# syscap's own allocations at its setup do not count
	[ "$(lost way.syscap)" = 0 ] || fail "$(lost way.syscap) are lost"
	rm way.syscap
fi

# The C library's threads for timers keep its signals blocked
for sample in --no-symbols --sample=1000,wall; do
	"$SYSCAP" record -q --no-symbols $sample --memory -o odd.syscap -- \
		"$odd" timer 20 || fail "a timer whose expiries are calls: $?"
	rm odd.syscap*
done

# Blocks beyond a sample's table are counted as lost
"$SYSCAP" record -q --no-symbols --memory=1 -o many.syscap -- \
	"$odd" many 1500000
n_lost=$(lost many.syscap)
[ "$n_lost" -ge 450000 ] || fail "1,500,000 blocks: $n_lost are lost"
rm many.syscap

# Sampling every byte records all; with rare sampling the program is the same
"$SYSCAP" record -q --no-symbols --memory=1 -o one.syscap -- "$odd" counted
"$SYSCAP_TEST_BIN/record_memory_count" one.syscap "$odd" >seen
[ "$(sed -n 's/^allocated [0-9]* //p' seen)" -ge 1000 ] || fail "a sample: $(cat seen)"
"$SYSCAP" record -q --no-symbols --memory=512K -o few.syscap -- \
	"$program" 100000 4 1 counted

# Mappings, changed in every way; without the allocator's mappings
maps=$SYSCAP_TEST_BIN/record_memory_maps
chunks=$SYSCAP_TEST_BIN/record_memory_chunks.so
[ -e "$chunks" ]
for asked in mmap 64M,mmap; do
	for beside in "" "$chunks"; do
		LD_PRELOAD=$beside "$SYSCAP" record -q --no-symbols \
			"--memory=$asked" -o maps.syscap -- \
			"$maps" $((n / 1000)) 4 2 counted || fail "$asked: $?"
		"$SYSCAP_TEST_BIN/record_memory_count" maps.syscap "$maps" >seen
		diff counted seen ||
			fail "$asked, '$beside': the capture differs from the mappings"
		! "$SYSCAP" dump --type=allocation maps.syscap |
			grep 'size 65536 ' || fail "the allocator's mappings are recorded"
		rm maps.syscap
	done
done

# A handler that leaves malloc() by siglongjmp(): its block is recorded or
# counted, later blocks are recorded, and the ring continues.  At 30 us, the
# handler leaves each of the first calls
ways=$SYSCAP_TEST_BIN/record_memory_ways
for us in 150 30; do
	LD_PRELOAD=$chunks "$SYSCAP" record -q --no-symbols --memory \
		-o ways.syscap -- "$ways" jumps 40 $us || fail "jumps: $?"
	"$SYSCAP" check ways.syscap >/dev/null
	seen=$("$SYSCAP" dump --type=allocation ways.syscap |
		grep -c 'size 4321 ') || fail "after jumps nothing is recorded"
	[ "$seen" = 1000 ] || fail "after jumps $seen of 1000 are recorded"
	[ "$(lost ways.syscap)" -le 80 ] ||
		fail "jumps: $(lost ways.syscap) are lost"
	rm ways.syscap
done

# A sample is right despite failing allocations: 109 MB, standard deviation 7 %
"$SYSCAP" record -q --no-symbols --memory=512K -o ways.syscap -- \
	"$ways" fails || fail "fails: $?"
bytes=$("$SYSCAP" stat --json ways.syscap | tr -d ' \n' |
	sed 's/.*"heap":{"allocations":[0-9]*,"bytes":\([0-9]*\),.*/\1/')
[ "$bytes" -gt 65000000 ] && [ "$bytes" -lt 153000000 ] ||
	fail "beside allocations that fail 109 MB are $bytes"
rm ways.syscap

# Forked children draw different samples
"$SYSCAP" record -q --no-symbols --memory=64K -o ways.syscap -- "$ways" forks 8
"$SYSCAP" dump --type=allocation ways.syscap | sed 's/.* pid \([0-9]*\) .*/\1/' |
	sort | uniq -c | awk '{ print $1 }' | sort -u >counts
[ "$(wc -l <counts)" -gt 1 ] || fail "each child draws $(cat counts)"
rm ways.syscap

# Without the option, mappings are not recorded
"$SYSCAP" record -q --no-symbols --memory -o maps.syscap -- \
	"$maps" 10 2 1 counted
"$SYSCAP_TEST_BIN/record_memory_count" maps.syscap "$maps" >seen
grep -q '^allocated 0 0$' seen || fail "--memory alone: $(cat seen)"
rm maps.syscap

# A program with its own allocator, and a program that can't be preloaded
"$SYSCAP" record --memory -o static.syscap -- "$SYSCAP_TEST_BIN/nowhere" \
	2>err && fail "it ran"
grep -q 'cannot run' err
cat >own.c <<-'END'
	#include <stddef.h>
	static char pool[1 << 20];
	static size_t used;
	void *malloc(size_t n)
	{
		void *const block = pool + used;

		used += (n + 15) / 16 * 16;
		return block;
	}
	void *calloc(size_t n, size_t size) { return malloc(n * size); }
	void *realloc(void *block, size_t n) { return block ? NULL : malloc(n); }
	void free(void *block) { (void)block; }
	int main(void) { *(volatile char *)malloc(1) = 1; return 0; }
END
if "${CC:-cc}" -fno-builtin -o own own.c 2>/dev/null; then
	"$SYSCAP" record -q --memory -o own.syscap -- ./own 2>err
	grep -q 'defines malloc() itself' err || fail "its own malloc: $(cat err)"
	rm own.syscap*
fi
for value in 0 x 1G 1025M '' ,mmap 1,map 1,mmap, mmap,1 1K2,mmap; do
	status=0
	"$SYSCAP" record -o bad.syscap "--memory=$value" -- true 2>err ||
		status=$?
	[ $status = 2 ] || fail "--memory=$value: $status"
	grep -q -- "--memory: '$value' is not a number of bytes" err
done

# Comparison with valgrind
if command -v valgrind >/dev/null; then
	for size in 0 1000 5000; do
		"$SYSCAP" record -q --no-symbols --memory -o leak.syscap -- \
			"$program" $size 1 0 counted
		valgrind --run-libc-freeres=no "$program" $size 1 0 again \
			2>grind
		blocks=$(sed -n 's/.*in use at exit: .* in \([0-9,]*\) blocks.*/\1/p' \
			grind | tr -d ,)
		"$SYSCAP" stat --json leak.syscap | tr -d ' \n' >stat
		grep -q "\"leaked\":$blocks," stat ||
			fail "valgrind: $blocks blocks: $(grep -o '"leaked":[0-9]*' stat)"
	done
fi
