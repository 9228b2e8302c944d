/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.c - events of allocations and frees with their stacks, all or a
 * sample. */
#define _GNU_SOURCE
#include "preload/memory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "copies/copies.h"
#include "emit/loss.h"
#include "emit/process.h"
#include "emit/ring_source.h"
#include "emit/sample.h"
#include "os/env.h"
#include "preload/blocking_events.h"
#include "preload/real_call.h"
#include "preload/tick_stack.h"
#include "unwind/unwind.h"

SYC_EMITS_ADDRESSES;

/*
 * Greatest depth of recorded calls.  A handler that interrupts the library's
 * code may allocate, and so may handlers that interrupt the handler.  Deeper
 * allocations are lost.  During the role's decision the depth is greater,
 * because its allocations do not belong to the program.
 */
#define DEPTH_MAX      4
#define DEPTH_DECIDING 64

/* Size of the stack that an allocation's event and a walk need. */
#define ROOM_LEAST 8192u

/* Greatest number of frames of a stack that is similar to the last stack. */
#define CACHED_MOST (SYC_KEPT_FRAMES_MOST + 192)

#define LINES_AHEAD 4u /* lines of 64 bytes: about the size of one event */

uint32_t syc_memory_role_now;
static _Thread_local volatile int depth
	__attribute__((tls_model("initial-exec")));
/*
 * The frames of calls, by depth.  The value is 0 without a call, before the
 * call stores its frame, and when the call ends.  So a handler never uses the
 * frame of one call for another call.
 */
static _Thread_local volatile uintptr_t entered[DEPTH_MAX]
	__attribute__((tls_model("initial-exec")));

/* The last stack, used by the thread, but not by handlers that interrupt the
 * library's code. */
static _Thread_local struct syc_last_stack last_stack
	__attribute__((tls_model("initial-exec")));

/* Parse "all" or a number, with or without ",mmap".  Returns 0 for "all", or
 * UINT64_MAX for an invalid text. */
static uint64_t parse_bytes(const char *text, bool *ret_has_maps)
{
	uint64_t bytes = 0;
	const char *end = text;

	if (strncmp(text, "all", 3) == 0) {
		end = text + 3;
	} else {
		while (*end >= '0' && *end <= '9' && bytes < UINT32_MAX)
			bytes = bytes * 10 + (uint64_t)(*end++ - '0');
		if (bytes == 0)
			return UINT64_MAX;
	}
	*ret_has_maps = strcmp(end, ",mmap") == 0;
	return *end == '\0' || *ret_has_maps ? bytes : UINT64_MAX;
}

static enum syc_memory_role parse_role(const char *text)
{
	bool has_maps;

	if (text == NULL || text[0] == '\0')
		return SYC_MEMORY_OFF;
	const uint64_t bytes = parse_bytes(text, &has_maps);

	if (bytes == UINT64_MAX) {
		syc_diag_say("allocations are not recorded",
		             "SYSCAP_MEMORY must be all or a number of bytes");
		return SYC_MEMORY_OFF;
	}
	if (has_maps && !syc_memory_maps_begin())
		syc_diag_say("mmap() is not recorded",
		             "no memory for the table of mappings");
	if (bytes == 0)
		return SYC_MEMORY_ALL;
	if (!syc_memory_sampled_begin(bytes, (uint64_t)syscap_clock())) {
		syc_diag_say("allocations are not recorded",
		             "no memory for the table of blocks");
		return SYC_MEMORY_OFF;
	}
	syc_memory_sampled_exclude(syc_memory_early_blocks, SYC_MEMORY_EARLY);
	return SYC_MEMORY_SAMPLED;
}

/*
 * LeakSanitizer, a part of AddressSanitizer, identifies blocks of the loader by
 * the caller of malloc().  If a wrapper calls malloc(), LeakSanitizer reports
 * these blocks as leaks.
 */
extern void __lsan_do_leak_check(void) __attribute__((weak));

static const char *why_not(void)
{
	if (syc_libc_is_foreign()) /* a foreign C library's own calls bypass
	                            * this file */
		return "the C library is not glibc";
	return &__lsan_do_leak_check != NULL ? "a sanitizer is the allocator"
	                                     : NULL;
}

void syc_memory_decide(void)
{
	/* The loader allocates before the C library has its environment */
	if (environ == NULL || depth >= DEPTH_DECIDING)
		return;
	enum syc_memory_role role = SYC_MEMORY_OFF;
	const char *const why = why_not();
	const int saved = errno;

	/* The allocations below are not recorded */
	depth += DEPTH_DECIDING;
	if (why == NULL)
		role = parse_role(syc_env_get(SYC_ENV_MEMORY));
	else if (syc_env_get(SYC_ENV_MEMORY) != NULL)
		syc_diag_say("allocations are not recorded", why);
	if (role != SYC_MEMORY_OFF) {
		syc_stack_size_is_raised = true;
		syc_setup_run();
	}
	depth -= DEPTH_DECIDING;
	errno = saved;
	/* The library's set-up may have called this function.  Allocations of
	 * the set-up do not belong to the program */
	if (role == SYC_MEMORY_OFF ||
	    __atomic_load_n(&syc_active, __ATOMIC_RELAXED) != SYC_NOT_LOOKED)
		__atomic_store_n(&syc_memory_role_now, role, __ATOMIC_RELAXED);
}

/* Decide before main(), because a handler of the program that leaves the decision
 * by siglongjmp() would prevent each later decision. */
__attribute__((constructor)) static void decide_at_load(void)
{
	if (__atomic_load_n(&syc_memory_role_now, __ATOMIC_RELAXED) ==
	    SYC_MEMORY_UNDECIDED)
		syc_memory_decide();
}

/* Count a loss, because the table of drawn blocks is full, or calls are nested
 * too deep. */
static void count_forgotten(void)
{
	const int saved = errno;

	syc_loss_count_stray(SYSCAP_FRAME_ALLOCATION,
	                     sizeof(struct syscap_wire_allocation),
	                     syscap_clock());
	errno = saved;
}

static inline void leave_call(void)
{
	entered[depth - 1] = 0;
	depth--;
}

/*
 * Drop calls that siglongjmp() has left, and the kept frames, which may be
 * incomplete.  An interrupted call's frame is at a higher address.  As for
 * emits, only calls on the thread's own stack are dropped.
 */
static __attribute__((noinline)) void leave_dead(uintptr_t here)
{
	/* siglongjmp() may have left all calls before one found the bounds */
	if (depth == DEPTH_MAX && last_stack.high == 0 &&
	    !syc_seccomp_has_filter() && syc_own_stack_has_space())
		syc_last_stack_find_bounds(&last_stack);
	while (depth > 0 && depth <= DEPTH_MAX &&
	       syc_last_stack_covers(&last_stack, here) &&
	       syc_last_stack_covers(&last_stack, entered[depth - 1]) &&
	       entered[depth - 1] <= here && !syc_seccomp_has_filter() &&
	       !syc_own_stack_is_alternate()) {
		syc_last_stack_clear(&last_stack);
		leave_call();
	}
}

static inline __attribute__((always_inline)) bool enter_call(void)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (__builtin_expect(depth > 0, 0)) {
		leave_dead(here);
		if (depth >= DEPTH_MAX) {
			if (depth < DEPTH_DECIDING && syscap_is_active())
				count_forgotten();
			return false;
		}
	}
	depth++;
	entered[depth - 1] = here;
	return true;
}

/*
 * Walk without the innermost four frames: the frame of the function that the
 * program called is three calls further out.
 */
static __attribute__((noinline)) int take_stack(uint64_t *addrs, unsigned n,
                                                void *user)
{
	return (int)syc_own_code_remove(
		addrs, (unsigned)syc_backtrace(addrs, n, 4, user));
}

static __attribute__((noinline)) void record_with_stack(void *block,
                                                        int64_t size)
{
	unsigned flags = 0;

	syc_allocation_at(syscap_clock(), (uintptr_t)block, size, take_stack,
	                  &flags, &flags);
	/* Prevent a tail call: the walk omits a fixed number of frames */
	__asm__ volatile("");
}

/* Record with a stack that reuses the last stack.  Returns false if no reuse is
 * possible. */
static __attribute__((noinline)) bool
record_by_last_stack(void *block, int64_t size, const struct syc_caller *caller)
{
	const int64_t now = syscap_clock();
	uint64_t addrs[CACHED_MOST];
	const unsigned n = syc_own_code_remove(
		addrs,
		syc_last_stack_walk(&last_stack, caller, addrs, CACHED_MOST));

	if (n == 0)
		return false;
	syc_jitmap_publish(addrs, n);
	syc_allocation_of(now, (uintptr_t)block, size, addrs, n, 0);
	return true;
}

/* Record the caller, which is known without a walk, as the whole stack. */
static __attribute__((noinline)) void
record_with_caller(void *block, int64_t size, const struct syc_caller *caller)
{
	const uint64_t at = syc_caller_address(caller);

	syc_jitmap_publish(&at, 1);
	syc_allocation_of(syscap_clock(), (uintptr_t)block, size, &at, 1,
	                  SYSCAP_STACK_STOPPED);
}

/*
 * Return whether a walk fits on the stack, which may be nearly full.  A stack
 * other than the thread's own may be a handler's alternate stack of 8 KiB.
 */
static bool walk_has_room(const struct syc_caller *caller)
{
	if (syc_last_stack_covers(&last_stack, caller->sp))
		return caller->sp - last_stack.low >= ROOM_LEAST;
	if (syc_seccomp_has_filter() || !syc_own_stack_has_space())
		return false;
	if (last_stack.high != 0)
		return true;
	syc_last_stack_find_bounds(&last_stack);
	return walk_has_room(caller);
}

/* Fetch the cache lines of the next events now, because the recorder's
 * processor has these lines. */
static inline void fetch_ahead(void)
{
#if defined(__x86_64__)
	const struct syc_thread *const st = syc_self;

	if (st == NULL || st->body == NULL)
		return;
	const unsigned char *const at = st->body + st->next;

	for (unsigned i = 1; i <= LINES_AHEAD; i++)
		__asm__ volatile("prefetchw %0" : : "m"(at[i * 64]));
#endif
}

static inline __attribute__((always_inline)) void
record(void *block, int64_t size, const struct syc_caller *caller)
{
	syc_memory_throttle();
	if (!syscap_is_active())
		return;
	if (depth > 1 || !syc_last_stack_has_space(&last_stack, caller->sp) ||
	    !record_by_last_stack(block, size, caller)) {
		if (walk_has_room(caller))
			record_with_stack(block, size);
		else
			record_with_caller(block, size, caller);
	}
	fetch_ahead();
}

/* Record a free, without a stack, because its allocation has a stack. */
static __attribute__((noinline)) void record_free(void *block, int64_t time)
{
	syc_memory_throttle();
	syc_allocation_of(time, (uintptr_t)block, 0, NULL, 0, 0);
}

/* Write a free.  The caller has entered the call. */
static void write_free(void *block, int64_t time, int saved)
{
	record_free(block, time);
	errno = saved;
}

__attribute__((noinline)) void
syc_memory_allocated(void *block, size_t size, const struct syc_caller *caller)
{
	const bool is_sampled = syc_memory_is_sampled();
	int64_t weight = (int64_t)size;

	if (is_sampled) {
		weight = syc_memory_sampled_take(size);
		if (weight == 0)
			return;
	}
	/* use 1, because a weight of 0 means a free */
	if (weight <= 0)
		weight = 1;
	if (!enter_call())
		return;
	const int saved = errno;
	if (!is_sampled || syc_memory_sampled_remember(block))
		record(block, weight, caller);
	else if (syscap_is_active())
		count_forgotten();
	errno = saved;
	leave_call();
	/* Prevent a tail call: the walk omits a fixed number of frames */
	__asm__ volatile("");
}

/*
 * Report the rest of the cut mapping with the cutting call's stack, as for
 * realloc().  The function is inlined, because a call would add a frame to the
 * stack.
 */
static inline __attribute__((always_inline)) void
write_cut(const struct syc_memory_cut *cut,
          const struct syc_memory_change *change)
{
	if (!syscap_is_active())
		return;
	record_free((void *)cut->was.begin, change->time);
	for (unsigned i = 0; i < 2; i++)
		if (cut->left[i].begin != cut->left[i].end)
			record((void *)cut->left[i].begin,
			       (int64_t)(cut->left[i].end - cut->left[i].begin),
			       &change->caller);
	for (unsigned i = 0; i < cut->n_forgotten; i++)
		count_forgotten();
}

static inline __attribute__((always_inline)) void
write_mapping(struct syc_memory_range range,
              const struct syc_memory_change *change)
{
	if (!syc_memory_maps_add(range))
		count_forgotten();
	else
		record((void *)range.begin, (int64_t)(range.end - range.begin),
		       &change->caller);
}

/* Report that a mapping between two cut mappings is wholly unmapped. */
static void write_unmapped(const struct syc_memory_cut *cut, int64_t time)
{
	if (!syscap_is_active() || !enter_call())
		return;
	const int saved = errno;
	write_free((void *)cut->was.begin, time, saved);
	leave_call();
}

void syc_memory_change_begin(struct syc_memory_change *change,
                             struct syc_memory_range range)
{
	struct syc_memory_cut cut;

	if (range.end <= range.begin)
		return;
	while (syc_memory_maps_cut(range, &cut)) {
		if (change->n == SYC_MEMORY_CUTS)
			write_unmapped(&change->cuts[--change->n],
			               change->time);
		change->cuts[change->n++] = cut;
	}
}

__attribute__((noinline)) void
syc_memory_change_end(const struct syc_memory_change *change, bool is_done)
{
	if (!enter_call())
		return;
	const int saved = errno;
	for (unsigned i = change->n; i-- > 0;)
		if (is_done) {
			write_cut(&change->cuts[i], change);
		} else if (!syc_memory_maps_mend(&change->cuts[i])) {
			write_cut(&change->cuts[i], change);
			write_mapping(change->cuts[i].part, change);
		}
	errno = saved;
	leave_call();
	/* Prevent a tail call: the walk omits a fixed number of frames */
	__asm__ volatile("");
}

__attribute__((noinline)) void
syc_memory_mapped(struct syc_memory_range range, bool is_reported,
                  const struct syc_memory_change *change)
{
	struct syc_memory_cut cut;

	if (!enter_call())
		return;
	const int saved = errno;
	while (syc_memory_maps_cut(range, &cut))
		write_cut(&cut, change);
	if (is_reported)
		write_mapping(range, change);
	errno = saved;
	leave_call();
	/* Prevent a tail call: the walk omits a fixed number of frames */
	__asm__ volatile("");
}

/* Return whether @block is recorded.  Without sampling, all blocks are
 * recorded; otherwise, the drawn blocks. */
static bool is_recorded(const void *block)
{
	return !syc_memory_is_sampled() || syc_memory_sampled_forget(block);
}

/*
 * Enter the call before reading the clock, because another preloaded library's
 * clock may free memory.
 */
void syc_memory_freed(void *block)
{
	if (!syscap_is_active() || !is_recorded(block) || !enter_call())
		return;
	const int saved = errno;
	write_free(block, syscap_clock(), saved);
	leave_call();
}

struct syc_memory_move syc_memory_move_begin(void *block)
{
	struct syc_memory_move move = { .block = NULL };

	if (!syscap_is_active() || !is_recorded(block) || !enter_call())
		return move;
	const int saved = errno;
	move.block = block;
	move.time = syscap_clock();
	errno = saved;
	leave_call();
	return move;
}

void syc_memory_move_end(const struct syc_memory_move *move, bool has_moved)
{
	const int saved = errno;

	if (move->block == NULL)
		return;
	if (has_moved) {
		if (!enter_call())
			return;
		write_free(move->block, move->time, saved);
		leave_call();
	} else if (syc_memory_is_sampled() &&
	           !syc_memory_sampled_remember(move->block)) {
		count_forgotten(); /* the recording will lack this block's
		                    * free */
		errno = saved;
	}
}
