/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_chains.c - known chains of calls: chains.sh builds this file with many
 * compilers and options.
 *
 * The test walks each chain by a call, and from a trap in its innermost
 * function.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <syscap/format.h>
#include <syscap/sampler.h>

#include "harness/test.h"
#include "unwind/stack_walk.h"

static struct walk walk, full;
static bool by_trap;
static unsigned max_depth = 512;
static volatile unsigned sink;

static inline __attribute__((always_inline)) void take(void)
{
	if (by_trap)
		walk_trap();
	else
		walk_here(&walk, max_depth);
	CHAIN_END();
}

/* Run @chain both ways; @look checks each stack. */
static void both(void (*chain)(void), void (*look)(struct walk_check *))
{
	walk_on_trap(&walk, max_depth, false);
	for (int i = 0; i < 2; i++) {
		struct walk_check check;

		by_trap = i == 1;
		walk.n_taken = 0;
		chain();
		CHECK_EQ(walk.n_taken, 1);
		check = walk_check(&walk);
		look(&check);
	}
}

/* --- plain calls */

CHAIN(inner) static unsigned inner(unsigned a)
{
	take();
	return a + sink;
}

CHAIN(middle) static unsigned middle(unsigned a, unsigned b)
{
	const unsigned c = inner(a * b);

	CHAIN_END();
	return c + a + b;
}

/* Enough values live across the call to need every saved register. */
CHAIN(outer) static void outer(void)
{
	const unsigned a = sink, b = sink, c = sink, d = sink, e = sink;
	const unsigned f = sink, g = sink, h = sink;

	sink += middle(a, b);
	sink = a + b * c + d * e + f * g + h;
	CHAIN_END();
}

static void look_plain(struct walk_check *check)
{
	walk_next(check, CHAIN_PART(inner));
	walk_next(check, CHAIN_PART(middle));
	walk_next(check, CHAIN_PART(outer));
	walk_ends_at_start(check);
}

TEST(callers_in_order_to_the_start)
{
	both(outer, look_plain);
}

/* --- the public call */

static uint64_t public_addrs[2][64];
static int public_n[2];

CHAIN(calls_public) static void calls_public(void)
{
	public_n[0] = syscap_backtrace(public_addrs[0], 64, NULL);
	public_n[1] = syscap_backtrace(public_addrs[1], 64, (void *)1);
	CHAIN_END();
}

TEST(backtrace_starts_at_caller_and_skips_frames)
{
	calls_public();
	CHECK(public_n[0] > 2);
	CHECK(walk_is_in(public_addrs[0][0], CHAIN_PART(calls_public)));
	CHECK(!walk_is_in(public_addrs[1][0], CHAIN_PART(calls_public)));
	CHECK_EQ(public_n[1], public_n[0] - 1);
	for (int i = 0; i < public_n[1]; i++)
		CHECK_EQ(public_addrs[1][i], public_addrs[0][i + 1]);
}

TEST(backtrace_fits_its_array)
{
	uint64_t addrs[8];

	memset(addrs, 0x5A, sizeof(addrs));
	for (unsigned n = 0; n < 6; n++) {
		const int got = syscap_backtrace(addrs, n, NULL);

		CHECK(got >= 0 && (unsigned)got <= n);
		CHECK(addrs[n] == UINT64_C(0x5A5A5A5A5A5A5A5A));
	}
}

/* --- tail calls */

CHAIN(tail_caller) static unsigned tail_caller(unsigned a)
{
	return inner(a + 1);
}

CHAIN(before_tail) static void before_tail(void)
{
	sink += tail_caller(sink);
	CHAIN_END();
}

static void look_tail(struct walk_check *check)
{
	const unsigned n = (walk_next(check, CHAIN_PART(inner)),
	                    walk_count(check, CHAIN_PART(tail_caller)));

#if defined(__OPTIMIZE__)
	/* -O1 and sanitizers may keep the frame of a tail call */
	CHECK(n <= 1);
#else
	CHECK_EQ(n, 1);
#endif
	walk_next(check, CHAIN_PART(before_tail));
	walk_ends_at_start(check);
}

TEST(tail_caller_is_absent)
{
	both(before_tail, look_tail);
}

CHAIN(jumped_to) static void jumped_to(void)
{
	take();
	CHAIN_END();
}

static void (*volatile jump_target)(void) = jumped_to;

void chain_jumper(void (*target)(void));
#if defined(__x86_64__)
__asm__(".pushsection .text\n"
        ".type chain_jumper, @function\n"
        "chain_jumper:\n\t.cfi_startproc\n\t"
        "push %rbx\n\t.cfi_adjust_cfa_offset 8\n\t.cfi_offset rbx, -16\n\t"
        "mov %rdi, %rbx\n\t"
        "pop %rbx\n\t.cfi_adjust_cfa_offset -8\n\t.cfi_restore rbx\n\t"
        "jmp *%rdi\n\t"
        ".cfi_endproc\n.size chain_jumper, . - chain_jumper\n"
        ".popsection\n");
#else
#if defined(__riscv)
#define JUMP "jr a0\n\t"
#elif defined(__i386__)
#define JUMP "jmp *4(%esp)\n\t"
#elif defined(__s390x__)
#define JUMP "br %r2\n\t"
#elif defined(__powerpc64__)
#define JUMP "mr 12, 3\n\tmtctr 12\n\tbctr\n\t"
#else
#define JUMP "br x0\n\t"
#endif
__asm__(".pushsection .text\n"
        ".type chain_jumper, @function\n"
        "chain_jumper:\n\t.cfi_startproc\n\t" JUMP
        ".cfi_endproc\n.size chain_jumper, . - chain_jumper\n"
        ".popsection\n");
#endif

CHAIN(before_jump) static void before_jump(void)
{
	chain_jumper(jump_target);
	CHAIN_END();
}

static void look_jump(struct walk_check *check)
{
	walk_next(check, CHAIN_PART(jumped_to));
	walk_next(check, CHAIN_PART(before_jump));
	walk_ends_at_start(check);
}

TEST(jumping_function_is_absent)
{
	both(before_jump, look_jump);
}

/* --- calls that never return */

static jmp_buf way_out;

CHAIN(never) __attribute__((noreturn)) static void never(void)
{
	take();
	longjmp(way_out, 1);
}

CHAIN(ends_in_never) static void ends_in_never(void)
{
	never();
}

CHAIN(before_never) static void before_never(void)
{
	if (setjmp(way_out) == 0)
		ends_in_never();
	CHAIN_END();
}

static void look_never(struct walk_check *check)
{
	walk_next(check, CHAIN_PART(never));
	walk_next(check, CHAIN_PART(ends_in_never));
	walk_next(check, CHAIN_PART(before_never));
	walk_ends_at_start(check);
}

TEST(noreturn_caller_is_found)
{
	both(before_never, look_never);
}

TEST(noreturn_call_is_the_last_instruction)
{
	/* shows that `never` really ends the function */
	both(before_never, look_never);
#if defined(__OPTIMIZE__) && defined(__GNUC__)
	const struct walk_part *const part = CHAIN_PART(ends_in_never);
	const uint64_t addr = walk.addrs[1];

	CHECK(addr < (uintptr_t)part->stop);
	CHECK((uintptr_t)part->stop - addr <= 16);
#endif
}

/* --- recursion */

CHAIN(recursive) static unsigned recursive(unsigned depth)
{
	unsigned local[5];

	memset(local, (int)depth, sizeof(local));
	__asm__ volatile("" ::"r"(local) : "memory");
	if (depth == 1) {
		take();
		walk_here(&full, WALK_ROOM - 1);
	} else {
		sink += recursive(depth - 1);
	}
	CHAIN_END();
	return local[depth % 5];
}

static unsigned depth;

CHAIN(recurses) static void recurses(void)
{
	sink += recursive(depth);
	CHAIN_END();
}

static void look_recursion(struct walk_check *check)
{
	CHECK_EQ(walk_count(check, CHAIN_PART(recursive)), depth);
	walk_next(check, CHAIN_PART(recurses));
	walk_ends_at_start(check);
}

TEST(recursion_frame_by_frame)
{
	for (depth = 1; depth < 400; depth = depth * 3 / 2 + 1)
		both(recurses, look_recursion);
}

static void look_cut(struct walk_check *check)
{
	const struct syc_unwind *const unwind = &walk.unwind;

	CHECK_EQ(unwind->n, max_depth);
	CHECK_EQ(unwind->flags, SYSCAP_STACK_CUT);
	CHECK(walk_count(check, CHAIN_PART(recursive)) >= max_depth - 16);

	/* The outermost frames equal those of a full walk. */
	CHECK_EQ(full.unwind.flags, 0);
	CHECK(full.unwind.n > depth);
	for (unsigned i = 1; i <= 16; i++)
		CHECK_EQ(walk.addrs[max_depth - i],
		         full.addrs[full.unwind.n - i]);
}

TEST(deep_stack_keeps_innermost_and_16_outermost)
{
	static const unsigned maxima[] = { 32, 33, 64, 512 };

	for (unsigned i = 0; i < 4; i++) {
		max_depth = maxima[i];
		for (depth = max_depth; depth < 15000; depth = depth * 5 / 2)
			both(recurses, look_cut);
		depth = 9000;
		both(recurses, look_cut);
	}
}

/* A walk ends even if the stack does not. */
TEST(stop_flag_of_very_deep_stack)
{
	max_depth = 512;
	walk_on_trap(&walk, max_depth, false);
	for (depth = 9000; depth < 60000; depth *= 2) {
		struct walk_check check;

		by_trap = depth % 3 == 0;
		recurses();
		check = walk_check(&walk);
		CHECK(walk_count(&check, CHAIN_PART(recursive)) >= 496);
		CHECK(walk.unwind.flags & SYSCAP_STACK_CUT);
		CHECK_EQ(walk.unwind.flags & SYSCAP_STACK_STOPPED,
		         depth > 16000 ? SYSCAP_STACK_STOPPED : 0);
		if ((walk.unwind.flags & SYSCAP_STACK_STOPPED) == 0) {
			walk.unwind.flags = 0;
			walk_ends_at_start(&check);
		}
	}
}

TEST(fitting_stack_is_not_cut)
{
	depth = 100;
	max_depth = WALK_ROOM - 1;
	both(recurses, look_recursion);
	max_depth = walk.unwind.n;
	both(recurses, look_recursion);
	CHECK_EQ(walk.unwind.n, max_depth);
	max_depth--;
	both(recurses, look_cut);
	/* keeps the last call from being a tail call without a frame */
	CHAIN_END();
}

/* --- called back by libc */

CHAIN(compare) static int compare(const void *a, const void *b)
{
	if (walk.n_taken == 0)
		take();
	CHAIN_END();
	return *(const int *)a - *(const int *)b;
}

CHAIN(sorts) static void sorts(void)
{
	int numbers[] = { 4, 2, 9, 1, 8, 7 };

	qsort(numbers, 6, sizeof(numbers[0]), compare);
	CHAIN_END();
}

static void look_callback(struct walk_check *check)
{
	walk_next(check, CHAIN_PART(compare));
	walk_skip_to(check, CHAIN_PART(sorts), 8);
	walk_ends_at_start(check);
}

TEST(callback_through_a_library)
{
	both(sorts, look_callback);
}

/* --- frames of odd sizes and forms */

CHAIN(variadic) static unsigned variadic(unsigned n, ...)
{
	unsigned sum = 0;
	va_list args;

	va_start(args, n);
	while (n-- > 0)
		sum += (unsigned)va_arg(args, double) + va_arg(args, unsigned);
	va_end(args);
	take();
	return sum;
}

CHAIN(calls_variadic) static void calls_variadic(void)
{
	/* more arguments than fit into registers */
	sink += variadic(10, 1.0, 1, 2.0, 2, 3.0, 3, 4.0, 4, 5.0, 5, 6.0, 6,
	                 7.0, 7, 8.0, 8, 9.0, 9, 10.0, 10);
	CHAIN_END();
}

static void look_variadic(struct walk_check *check)
{
	walk_next(check, CHAIN_PART(variadic));
	walk_next(check, CHAIN_PART(calls_variadic));
	walk_ends_at_start(check);
}

TEST(variadic_function)
{
	both(calls_variadic, look_variadic);
}

static volatile size_t n_dynamic;

CHAIN(grows) static void grows(void)
{
	char *const bytes = alloca(n_dynamic);

	memset(bytes, 1, n_dynamic);
	__asm__ volatile("" ::"r"(bytes) : "memory");
	sink += middle(1, sink);
	CHAIN_END();
}

static void look_grows(struct walk_check *check)
{
	walk_next(check, CHAIN_PART(inner));
	walk_next(check, CHAIN_PART(middle));
	walk_next(check, CHAIN_PART(grows));
	walk_ends_at_start(check);
}

TEST(frame_with_alloca)
{
	for (n_dynamic = 1; n_dynamic < 100000; n_dynamic *= 7)
		both(grows, look_grows);
}

/* More aligned than the stack, so the frame is found by a register other than
 * sp and fp, or by a place in memory. */
CHAIN(aligned) static void aligned(void)
{
	_Alignas(64) volatile char vector[64];
	char *const bytes = alloca(n_dynamic);

	memset(bytes, 2, n_dynamic);
	vector[n_dynamic % 64] = 3;
	__asm__ volatile("" ::"r"(bytes), "r"(vector) : "memory");
	sink += middle(1, sink);
	CHECK_EQ((uintptr_t)vector % 64, 0);
	CHAIN_END();
}

CHAIN(shifts) static void shifts(void)
{
	char *const bytes = alloca(n_dynamic);

	__asm__ volatile("" ::"r"(bytes) : "memory");
	aligned();
	CHAIN_END();
}

static void look_aligned(struct walk_check *check)
{
	walk_next(check, CHAIN_PART(inner));
	walk_next(check, CHAIN_PART(middle));
	walk_next(check, CHAIN_PART(aligned));
	walk_next(check, CHAIN_PART(shifts));
	walk_ends_at_start(check);
}

TEST(realigned_frame_at_any_alignment)
{
	for (n_dynamic = 1; n_dynamic < 300; n_dynamic += 16)
		both(shifts, look_aligned);
}

struct large {
	char bytes[3000];
};

CHAIN(takes_large)
static unsigned takes_large(struct large large, int a, int b, int c, int d,
                            int e, int f, int g, int h, int i, int j)
{
	take();
	return large.bytes[(a + b + c + d + e + f + g + h + i + j) % 3000];
}

CHAIN(gives_large) static void gives_large(void)
{
	static struct large large;

	sink += takes_large(large, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	CHAIN_END();
}

static void look_large(struct walk_check *check)
{
	walk_next(check, CHAIN_PART(takes_large));
	walk_next(check, CHAIN_PART(gives_large));
	walk_ends_at_start(check);
}

TEST(arguments_on_the_stack)
{
	both(gives_large, look_large);
}

/* --- the stack pointer of each address */

CHAIN(looks_at_sps) static void looks_at_sps(void)
{
	sink += recursive(depth);
	CHAIN_END();
}

static void look_sps(struct walk_check *check)
{
	(void)check;
	for (unsigned i = 1; i < walk.unwind.n; i++)
		if (walk.sps[i] <= walk.sps[i - 1])
			walk_fail(&walk, "the sp of %u is not outwards", i);
	CHECK((uintptr_t)__builtin_frame_address(0) < walk.sps[0] + 100000);
}

TEST(stack_pointers_increase)
{
	depth = 50;
	both(looks_at_sps, look_sps);
}
