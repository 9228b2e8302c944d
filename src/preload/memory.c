/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.c - allocations and frees with their stacks, all of them or a
 * sample. */
#define _GNU_SOURCE
#include "preload/memory.h"

#include <errno.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/allocation.h"
#include "emit/loss.h"
#include "emit/setup.h"
#include "os/diag.h"
#include "os/env.h"
#include "preload/memory_room.h"
#include "preload/memory_sampled.h"
#include "preload/other_libc.h"
#include "preload/room.h"
#include "stack/backtrace.h"

/* A handler may allocate in the midst of us, and so may another in the midst of
 * that.  More is something of ours that allocates, which must not go round. */
#define DEPTH_MAX 4

uint32_t syc_memory_role_now;
static _Thread_local volatile int depth
	__attribute__((tls_model("initial-exec")));

static enum syc_memory_role parse_role(const char *text)
{
	uint64_t bytes;

	if (text == NULL || text[0] == '\0')
		return SYC_MEMORY_OFF;
	if (strcmp(text, "all") == 0)
		return SYC_MEMORY_ALL;
	bytes = syc_env_number(SYC_ENV_MEMORY);
	if (bytes == 0) {
		syc_diag_say("the memory role is off",
		             "SYSCAP_MEMORY wants all, or a number of bytes");
		return SYC_MEMORY_OFF;
	}
	if (!syc_memory_sampled_begin(bytes, (uint64_t)syscap_clock())) {
		syc_diag_say("the memory role is off",
		             "there is no memory to remember blocks in");
		return SYC_MEMORY_OFF;
	}
	return SYC_MEMORY_SAMPLED;
}

void syc_memory_decide(void)
{
	/* The loader allocates before the C library knows its environment */
	if (environ == NULL || depth >= DEPTH_MAX)
		return;
	enum syc_memory_role role = SYC_MEMORY_OFF;
	const int saved = errno;

	/* What this does may allocate: then it is not looked at */
	depth += DEPTH_MAX;
	/* Its own calls would not come by here */
	if (!syc_other_libc_is())
		role = parse_role(syc_env_get(SYC_ENV_MEMORY));
	else if (syc_env_get(SYC_ENV_MEMORY) != NULL)
		syc_diag_say("the memory role is off",
		             "the C library is not glibc");
	if (role != SYC_MEMORY_OFF) {
		syc_room_is_always = true;
		syc_setup_run();
	}
	depth -= DEPTH_MAX;
	errno = saved;
	__atomic_store_n(&syc_memory_role_now, role, __ATOMIC_RELAXED);
}

static bool enter_call(void)
{
	if (depth >= DEPTH_MAX)
		return false;
	depth++;
	return true;
}

/* Of a thread; of its handlers that interrupt us not. */
static _Thread_local struct syc_last_stack last_stack
	__attribute__((tls_model("initial-exec")));

struct stack_request {
	const struct syc_caller *caller;
	unsigned flags;
};

/* Where the simple way fails: our caller's caller's caller is what the program
 * called; that and three are left out. */
static __attribute__((noinline)) int take_stack(uint64_t *addrs, unsigned n,
                                                void *user)
{
	struct stack_request *const request = user;
	int n_taken = 0;

	if (depth == 1)
		n_taken = (int)syc_again_backtrace(&last_stack, request->caller,
		                                   addrs, n);
	if (n_taken == 0)
		n_taken = syc_backtrace(addrs, n, 4, &request->flags);

	/* Not a jump: it has a place in the stack that is left out */
	__asm__ volatile("");
	return n_taken;
}

static __attribute__((noinline)) void record(void *block, int64_t size,
                                             const struct syc_caller *caller)
{
	struct stack_request request = { .caller = caller };

	syc_memory_room_wait();
	if (syscap_is_active())
		syc_allocation_at(syscap_clock(), (uintptr_t)block, size,
		                  take_stack, &request, &request.flags);
}

/* Where it came from is told by its allocation. */
static __attribute__((noinline)) void record_free(void *block, int64_t time)
{
	syc_memory_room_wait();
	syc_allocation_at(time, (uintptr_t)block, 0, NULL, NULL, NULL);
}

/* More was drawn and not freed than can be remembered. */
static void count_forgotten(void)
{
	syc_loss_count_stray(SYSCAP_FRAME_ALLOCATION,
	                     sizeof(struct syscap_wire_allocation),
	                     syscap_clock());
}

__attribute__((noinline)) void
syc_memory_allocated(void *block, size_t size, const struct syc_caller *caller)
{
	const bool is_sampled =
		__atomic_load_n(&syc_memory_role_now, __ATOMIC_RELAXED) ==
		SYC_MEMORY_SAMPLED;
	int64_t weight = (int64_t)size;

	if (is_sampled) {
		weight = syc_memory_sampled_take(size);
		if (weight == 0)
			return;
	}
	/* 0 would be a free */
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
	depth--;
	/* Not a jump: it has a place in the stack that is left out */
	__asm__ volatile("");
}

/* Of those that were drawn, or all. */
static bool is_recorded(const void *block)
{
	return __atomic_load_n(&syc_memory_role_now, __ATOMIC_RELAXED) !=
	               SYC_MEMORY_SAMPLED ||
	       syc_memory_sampled_forget(block);
}

/* Who has entered. */
static void tell_free(void *block, int64_t time, int saved)
{
	record_free(block, time);
	errno = saved;
}

/* Entered before the clock is read: another preloaded library's may free. */
void syc_memory_freed(void *block)
{
	if (!syscap_is_active() || !is_recorded(block) || !enter_call())
		return;
	const int saved = errno;
	tell_free(block, syscap_clock(), saved);
	depth--;
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
	depth--;
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
		tell_free(move->block, move->time, saved);
		depth--;
	} else if (__atomic_load_n(&syc_memory_role_now, __ATOMIC_RELAXED) ==
	                   SYC_MEMORY_SAMPLED &&
	           !syc_memory_sampled_remember(move->block)) {
		count_forgotten(); /* its free will not be told */
		errno = saved;
	}
}
