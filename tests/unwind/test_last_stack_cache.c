/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_last_stack_cache.c - walks that reuse the frames of the last walk.  Each
 * of these walks must find the same stack as a full walk.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "harness/test.h"
#include "unwind/last_stack_cache.h"
#include "unwind/memory.h"
#include "unwind/unwind.h"

#define MOST 512u

static _Thread_local struct syc_last_stack again;
static _Thread_local uint64_t random_now;
static _Thread_local unsigned n_compared, n_taken;

static unsigned draw(unsigned n)
{
	random_now = random_now * UINT64_C(6364136223846793005) +
	             1442695040888963407;
	return (unsigned)(random_now >> 33) % n;
}

static __attribute__((noinline)) int take(uint64_t *addrs)
{
	unsigned flags;
	const int n = syc_backtrace(addrs, MOST, 2, &flags);

	CHECK_EQ(flags, 0);
	__asm__ volatile("");
	return n;
}

static unsigned take_again(const struct syc_caller *caller, uint64_t *addrs)
{
	if (again.high == 0)
		syc_last_stack_find_bounds(&again);
	return syc_last_stack_has_space(&again, caller->sp)
	               ? syc_last_stack_walk(&again, caller, addrs, MOST)
	               : 0;
}

static __attribute__((noinline)) void compare(void)
{
	const struct syc_caller caller = SYC_CALLER();
	uint64_t found[MOST], all[MOST];
	const unsigned n = take_again(&caller, found);
	const unsigned n_all = (unsigned)take(all);

	n_compared++;
	if (n == 0)
		return;
	n_taken++;
	CHECK_EQ(n, n_all);
	for (unsigned i = 0; i < n; i++)
		CHECK_EQ(found[i], all[i]);
}

static void go_on(unsigned left);

static __attribute__((noinline)) void go_small(unsigned left)
{
	go_on(left);
	__asm__ volatile("");
}

static __attribute__((noinline)) void go_two_ways(unsigned left)
{
	if (draw(2) == 0)
		go_on(left);
	else
		go_on(left);
	__asm__ volatile("" : : "r"(left));
}

/* A frame found by the frame pointer, which inner functions keep. */
static __attribute__((noinline)) void go_by_fp(unsigned left)
{
	volatile char *const room = alloca(16 + draw(3) * 16);

	room[0] = 1;
	go_on(left);
	room[0] = 2;
}

static __attribute__((noinline)) void go_and_return(unsigned left)
{
	compare();
	go_on(left);
	compare();
	__asm__ volatile("");
}

static __attribute__((noinline)) void go_on(unsigned left)
{
	static void (*const ways[])(unsigned) = { go_small, go_small,
		                                  go_small, go_two_ways,
		                                  go_by_fp, go_and_return };

	if (left == 0)
		compare();
	else
		ways[draw(sizeof(ways) / sizeof(*ways))](left - 1);
	__asm__ volatile("");
}

static void *run(void *seed)
{
	random_now = *(const uint64_t *)seed;
	for (unsigned i = 0; i < 3000; i++)
		go_on(draw(i % 10 == 0 ? 150 : 12));
	/* Most of these walks must use the cache */
	CHECK(n_taken > n_compared / 2);
	return NULL;
}

TEST(cached_walk_equals_full_walk)
{
	uint64_t seed = test_seed();

	run(&seed);
}

TEST(cached_walk_equals_full_walk_in_a_thread)
{
	uint64_t seed = test_seed();
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, run, &seed), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

/* Two walks start at the same place and depth, but the outer caller has
 * changed. */
static __attribute__((noinline)) unsigned inner(uint64_t *addrs)
{
	const struct syc_caller caller = SYC_CALLER();

	take(addrs); /* this walk fills the rule cache */
	return take_again(&caller, addrs);
}

static __attribute__((noinline)) unsigned middle(uint64_t *addrs)
{
	const unsigned n = inner(addrs);

	__asm__ volatile("");
	return n;
}

TEST(changed_outer_caller_is_found)
{
	uint64_t first[MOST], second[MOST];

	for (unsigned i = 0; i < 3; i++) {
		const unsigned n = middle(first);
		CHECK(n > 2);
		CHECK_EQ(middle(second), n);
		CHECK(first[0] == second[0]);
		CHECK(first[1] != second[1]);
		CHECK(memcmp(first + 2, second + 2, (n - 2) * sizeof(*first)) ==
		      0);
	}
}

/*
 * Like another fibre's stack, which syc_backtrace() walks with a check of each
 * page.
 */
TEST(stack_of_another_thread_is_refused)
{
	static uint64_t other[64];
	const struct syc_caller caller = { .pc = (uintptr_t)other,
		                           .sp = (uintptr_t)other,
		                           .fp = 0 };

	syc_last_stack_find_bounds(&again);
	CHECK(!syc_last_stack_has_space(&again, caller.sp));
}

/* Cached frames do not outlive their rules. */
TEST(new_generation_clears_kept_frames)
{
	uint64_t addrs[MOST];

	middle(addrs);
	CHECK(middle(addrs) > 2);
	CHECK(again.end > again.frames + 2);
	syc_modules_forget();
	const struct syc_caller caller = SYC_CALLER();
	CHECK_EQ(take_again(&caller, addrs), 0);
	CHECK(again.end == again.frames + 1);
}

#if defined(__x86_64__)
/* A function whose table says that it has no caller. */
void begin_here(void (*function)(unsigned), unsigned left);
__asm__(".text\n"
        ".type begin_here, @function\n"
        "begin_here:\n"
        ".cfi_startproc\n"
        ".cfi_undefined rip\n"
        "	push %rbp\n"
        "	.cfi_adjust_cfa_offset 8\n"
        "	mov %rdi, %rax\n"
        "	mov %esi, %edi\n"
        "	call *%rax\n"
        "	pop %rbp\n"
        "	.cfi_adjust_cfa_offset -8\n"
        "	ret\n"
        ".cfi_endproc\n"
        ".size begin_here, . - begin_here\n");

/* That function is the outermost frame, though the cached frames go further
 * out. */
TEST(outermost_frame_inside_a_kept_stack)
{
	random_now = test_seed();
	n_compared = n_taken = 0;
	for (unsigned i = 0; i < 3000; i++) {
		go_on(draw(12));
		begin_here(draw(2) == 0 ? go_on : go_small, draw(12));
	}
	CHECK(n_taken > n_compared / 2);
}
#endif
