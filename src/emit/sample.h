/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sample.h - SAMPLE and ALLOCATION frames with a stack from the caller, and
 * JITMAP frames for the names in stacks.
 *
 * Public functions inline the functions of this file.  A callback may use an
 * unwinding library whose stack has two extra addresses: in the callback's own
 * frame, and in the public function's frame.  These two addresses are not part
 * of the sample.
 */
#ifndef SYC_EMIT_SAMPLE_H
#define SYC_EMIT_SAMPLE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <syscap.h>
#include <syscap/format.h>

#include "base/frame.h"
#include "emit/event.h"

/* ------------------------------------------------------ names: names.c */

/*
 * The table is a hash table with open addressing, without deletion.  A name's
 * bytes are complete before one compare-exchange puts the name into its slot.
 * The loser of this race compares its name with the winner's name, and
 * continues.  No thread waits, because a handler may have interrupted the other
 * thread.
 *
 * All copies of the library that share a block have one table.  Each copy has
 * another table for names from before the block.
 */

#define SYC_NAMES_SLOTS  (UINT32_C(1) << 17) /* twice as many as names */
#define SYC_NAMES_MAX    (UINT32_C(1) << 16) /* number 0: the lost name */
#define SYC_NAMES_ARENA  (UINT32_C(4) << 20)
#define SYC_NAMES_SPARES 16u

/** The table of names.  All copies of the library that share a block share this
 * layout. */
struct syc_names_table {
	/* next number << 32 | bytes of the arena */
	uint64_t taken __attribute__((aligned(64)));
	/* number << 48 | size << 32 | offset; 0: none.  A thread that lost a
	 * race took this space, and left it free */
	uint64_t spares[SYC_NAMES_SPARES];
	/* zero in a forked child, whose new names have another hash */
	uint32_t *hash;
	/* upper half of the text's hash << 32 | number; 0: empty */
	uint64_t slots[SYC_NAMES_SLOTS] __attribute__((aligned(64)));
	/* offset << 32 | length << 16 | hash of the process; 0: none */
	uint64_t entries[SYC_NAMES_MAX];
	char arena[SYC_NAMES_ARENA];
};

/** Make the table, so that handlers can fill the table.  Returns 0 or
 * -ENOMEM. */
int syc_names_prepare(void);

/** Return whether the table has a name.  With an empty table, no stack can
 * have a name. */
bool syc_names_any(void);

/**
 * Return whether @address belongs to a name of this table.  *@ret_index is the
 * name's index, from 0.  Names from before the block have indices from
 * SYC_NAMES_MAX.
 */
bool syc_names_index(uint64_t address, uint32_t *ret_index);

/** The name at @index, @ret_len bytes and a NUL. */
const char *syc_names_text(uint32_t index, size_t *ret_len);

/** Number of names for which the table had no space. */
uint32_t syc_names_lost(void);

/* ---------------------------------------------------------------- stacks */

/*
 * The length of a frame must be known before the reservation.  The callback
 * runs before any emit begins.  The callback may emit, fork, take its time, or
 * leave by siglongjmp().
 */

#define SYC_STACK_BEFORE 2u
#define SYC_STACK_MAX    512u

struct syc_stack {
	unsigned n;
	unsigned flags; /* SYSCAP_STACK_CUT: there may be more */
	uint64_t words[SYC_STACK_BEFORE + SYC_STACK_MAX];
};

static inline __attribute__((always_inline)) void
syc_stack_take(struct syc_stack *stack,
               int (*backtrace)(uint64_t *addrs, unsigned n_addrs, void *user),
               void *user)
{
	const int saved = errno;
	int n = 0;

	if (backtrace != NULL)
		n = backtrace(stack->words + SYC_STACK_BEFORE, SYC_STACK_MAX,
		              user);
	if (n < 0) /* some callbacks return a negative number for "no stack" */
		n = 0;
	stack->n = (unsigned)n < SYC_STACK_MAX ? (unsigned)n : SYC_STACK_MAX;
	stack->flags = stack->n == SYC_STACK_MAX
	                       ? SYSCAP_STACK_CUT & SYC_FRAME_STACK_FLAGS
	                       : 0;
	errno = saved;
}

static inline const uint64_t *syc_stack_addrs(const struct syc_stack *stack)
{
	return stack->words + SYC_STACK_BEFORE;
}

/* ----------------------------------------------------- JITMAP: jitmap.c */

/*
 * Stacks contain addresses of names (above).  Each recording of a process
 * publishes a name once, before the first stack with the name, in the ring of
 * that stack's thread.  Readers look names up in the whole capture.  Until a
 * name's frame is published, every stack with the name tries again.
 */

/** Do the slow part of syc_jitmap_publish(). */
void syc_jitmap_publish_some(const uint64_t *addrs, unsigned n);

/**
 * Publish the unpublished names in a stack of @n addresses, which the calling
 * thread is about to emit.  A frame without space counts as a lost JITMAP.  The
 * stack may be emitted without the lost frame.
 *
 * Callers publish the names before they begin the stack's emit.
 *
 * Context: any-thread, signal-safe.
 */
static inline void syc_jitmap_publish(const uint64_t *addrs, unsigned n)
{
	if (__builtin_expect(syc_names_any(), 0))
		syc_jitmap_publish_some(addrs, n);
}

/* --------------------------------------------------------------- SAMPLE */

/**
 * Emit a SAMPLE of the calling thread, taken at @now, with the weight of
 * @weight ticks.  The sample has @n (at most SYC_STACK_MAX) addresses, and
 * flags SYSCAP_STACK_*.  Names of the addresses are published before the
 * sample.
 *
 * Context: any-thread, signal-safe.
 */
void syc_sample_emit(int64_t now, const uint64_t *addrs, unsigned n,
                     unsigned flags, uint32_t weight);

/** Like syc_sample_emit(), with any word of format.h in padding2 of the frame.
 * The sample is of the thread @tid of this process; 0: the calling thread. */
void syc_sample_emit_tagged(int64_t now, const uint64_t *addrs, unsigned n,
                            unsigned flags, uint32_t tagged, int32_t tid);

/** The weight of the stack of a crash, which is of no tick. */
#define SYC_WEIGHT_OF_CRASH UINT32_MAX

/** The tagged word for a sample with the weight of @weight ticks. */
static inline uint32_t syc_sample_tag(uint32_t weight)
{
	const uint32_t max = ~SYSCAP_WEIGHT_TAG_MASK;

	if (weight == SYC_WEIGHT_OF_CRASH)
		return SYSCAP_CRASHED_TAG;
	return weight > 1 ? SYSCAP_WEIGHT_TAG | (weight < max ? weight : max)
	                  : 0;
}

/** @entering: a flag, which only traces set. */
static inline __attribute__((always_inline)) void
syc_sample(int (*backtrace)(uint64_t *addrs, unsigned n_addrs, void *user),
           void *user, bool entering)
{
	struct syc_stack stack;

	if (!syscap_is_active())
		return;
	const int64_t now = syscap_clock();
	syc_stack_take(&stack, backtrace, user);
	syc_sample_emit(now, syc_stack_addrs(&stack), stack.n,
	                stack.flags | (entering ? SYC_FRAME_FLAG : 0), 1);
}

/* ------------------------------------------------------------ ALLOCATION */

/* These functions run inside malloc(), so they must not allocate, nor call
 * functions that allocate. */

/** Emit an ALLOCATION at @now with the stack @addrs, whose names are published.
 * @flags: SYSCAP_STACK_*. */
static inline __attribute__((always_inline)) void
syc_allocation_of(int64_t now, uint64_t address, int64_t size,
                  const uint64_t *addrs, unsigned n_addrs, unsigned flags)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_ALLOCATION);
	const uint32_t len = (uint32_t)(sizeof(struct syscap_wire_allocation) +
	                                n_addrs * sizeof(uint64_t));
	volatile uintptr_t token;
	struct syc_event event;

	if (st == NULL || !syc_event_begin(&event, st, &token, len,
	                                   SYSCAP_FRAME_ALLOCATION, now))
		return;
	struct syscap_wire_allocation *const allocation = (void *)event.frame;
	allocation->addr = address;
	allocation->size = size;
	allocation->tid = syc_event_tid(&event);
	allocation->n_addrs = (uint16_t)n_addrs;
	allocation->padding = (uint16_t)flags;
	if (n_addrs > 0) /* @addrs may be NULL */
		memcpy(allocation + 1, addrs, n_addrs * sizeof(uint64_t));
	syc_event_end(&event, st, &token,
	              SYC_WORD(frame, type, SYSCAP_FRAME_ALLOCATION));
}

/** Emit an ALLOCATION at @now, with the stack of @backtrace.  @flags:
 * SYSCAP_STACK_*, which @backtrace stores; NULL: @backtrace stores no flags. */
static inline __attribute__((always_inline)) void syc_allocation_at(
	int64_t now, uint64_t address, int64_t size,
	int (*backtrace)(uint64_t *addrs, unsigned n_addrs, void *user),
	void *user, const unsigned *flags)
{
	struct syc_stack stack;

	syc_stack_take(&stack, backtrace, user);
	syc_jitmap_publish(syc_stack_addrs(&stack), stack.n);
	/* The thread's state is loaded after the callback, which may fork or
	 * stop recording.  A cut stack is incomplete, so the callback's flags
	 * add nothing. */
	syc_allocation_of(now, address, size, syc_stack_addrs(&stack), stack.n,
	                  stack.flags != 0 || flags == NULL ? stack.flags
	                                                    : *flags);
}

static inline __attribute__((always_inline)) void
syc_allocation(uint64_t address, int64_t size,
               int (*backtrace)(uint64_t *addrs, unsigned n_addrs, void *user),
               void *user)
{
	if (syscap_is_active())
		syc_allocation_at(syscap_clock(), address, size, backtrace,
		                  user, NULL);
}

#endif
