/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack_walk.h - stacks in tests, and checks of their frames.
 *
 *	CHAIN(inner) void inner(void) { walk_trap(); CHAIN_END(); }
 *
 * CHAIN() puts a function into its own section, whose bounds the linker
 * defines. So a test needs no symbol to check that an address is in the
 * function:
 *
 *	struct walk_check check = walk_check(&walk);
 *	walk_next(&check, CHAIN_PART(inner));
 *	walk_skip_to(&check, CHAIN_PART(outer));
 *	walk_ends_at_start(&check);
 *
 * A failed check prints the whole stack, as module+offset.
 */
#ifndef SYSCAP_TEST_STACK_WALK_H
#define SYSCAP_TEST_STACK_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/unwind.h"

#ifndef __has_attribute
#define __has_attribute(x) 0
#endif
/* A function that the compiler does not inline, clone, or merge with an equal
 * function. */
#if __has_attribute(noipa)
#define WALK_OWN __attribute__((noipa, noinline))
#else
#define WALK_OWN __attribute__((noinline))
#endif

#define CHAIN(name)                                                      \
	extern const char __start_chain_##name[], __stop_chain_##name[]; \
	static const struct walk_part part_##name                        \
		__attribute__((unused)) = { #name, __start_chain_##name, \
		                            __stop_chain_##name };       \
	WALK_OWN __attribute__((section("chain_" #name)))
#define CHAIN_PART(name) (&part_##name)

/* A call before this macro is no tail call. */
#define CHAIN_END() __asm__ volatile("" ::: "memory")

enum {
	WALK_ROOM = 20000
};

struct walk_part {
	const char *name;
	const char *start, *stop;
};

struct walk {
	struct syc_unwind unwind;
	uint64_t addrs[WALK_ROOM];
	uintptr_t sps[WALK_ROOM];
	uintptr_t pc; /* pc of the walk's context; else 0 */
	unsigned n_taken;
};

struct walk_check {
	const struct walk *walk;
	unsigned at;
};

/** The calling thread's stack from the caller on. */
void walk_here(struct walk *walk, unsigned max);

/** The stack interrupted by the signal of @context, a ucontext_t. */
void walk_from(struct walk *walk, const void *context, unsigned max);

/**
 * Store the stacks of walk_trap()s of all threads in @walk, at most @max
 * frames.  If @on_altstack, the handler runs on the thread's signal stack,
 * which the caller sets up.
 */
void walk_on_trap(struct walk *walk, unsigned max, bool on_altstack);

/* The instruction that raises SIGTRAP, and the registers that it changes */
#if defined(__x86_64__) || defined(__i386__)
#define WALK_TRAP "int3\n\t"
#elif defined(__aarch64__)
#define WALK_TRAP "brk #1\n\t"
#elif defined(__riscv)
#define WALK_TRAP ".option push\n\t.option norvc\n\tebreak\n\t.option pop\n\t"
#elif defined(__powerpc64__)
#define WALK_TRAP "trap\n\t"
#elif defined(__s390x__)
/* tgkill(getpid(), gettid(), SIGTRAP), since the kernel makes no SIGTRAP of any
 * instruction */
#define WALK_TRAP                               \
	"svc 20\n\tlgr 5, 2\n\tsvc 236\n\t"     \
	"lgr 3, 2\n\tlgr 2, 5\n\tlghi 4, 5\n\t" \
	"svc 241\n\t"
#define WALK_TRAP_CHANGES "r2", "r3", "r4", "r5", "cc", "memory"
#endif
#ifndef WALK_TRAP_CHANGES
#define WALK_TRAP_CHANGES "memory"
#endif

/** Raise SIGTRAP by an instruction in the calling function. */
static inline __attribute__((always_inline)) void walk_trap(void)
{
	__asm__ volatile(WALK_TRAP ::: WALK_TRAP_CHANGES);
}

/** Begin at the innermost address; @walk has been taken, and is sane. */
struct walk_check walk_check(const struct walk *walk);

bool walk_is_in(uint64_t addr, const struct walk_part *part);

/** The next address is in @part. */
void walk_next(struct walk_check *check, const struct walk_part *part);

/** The next address is @addr. */
void walk_next_is(struct walk_check *check, uint64_t addr);

/** One to @max other addresses, and then an address in @part. */
void walk_skip_to(struct walk_check *check, const struct walk_part *part,
                  unsigned max);

/** Number of next addresses in @part. */
unsigned walk_count(struct walk_check *check, const struct walk_part *part);

/** The outermost address is in the program's first function, and no flag is
 * set. */
void walk_ends_at_start(const struct walk_check *check);

/** Exactly @n addresses are left, and no flag is set. */
void walk_ends_after(const struct walk_check *check, unsigned n);

/** Print @walk, and fail with @why. */
__attribute__((noreturn)) void walk_fail(const struct walk *walk,
                                         const char *why, ...);

/** Signal-safe as far as stdio is. */
void walk_print(const struct walk *walk);

#endif
