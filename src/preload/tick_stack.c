/* SPDX-License-Identifier: BSD-2-Clause */
/* tick_stack.c - stacks that are large enough for a tick. */
#define _GNU_SOURCE
#include "preload/tick_stack.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "os/seccomp_state.h"
#include "sampler/state.h"
#include "sampler/tick_signal.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

#define SMALL      ((size_t)64 * 1024) /* large enough for a tick */
#define PAGE       ((size_t)4096)
#define OUR_OWN    ((size_t)4096) /* handler, with a walk that stores rules */
#define FIRST_TICK ((size_t)4096) /* more, if a tick requests a ring */

bool syc_stack_size_is_raised;

/*
 * Return the greatest size of the kernel's frame.  A thread without AMX, which
 * needs permission, has less than @most.
 */
static size_t frame_size(size_t most)
{
	const size_t size = getauxval(AT_MINSIGSTKSZ);

	if (size == 0 || size > most)
		return most;
	return size;
}

const pthread_attr_t *syc_stack_size_for_thread(const pthread_attr_t *attr,
                                                pthread_attr_t *copy,
                                                bool *ret_is_small)
{
	void *low;
	size_t size;

	*ret_is_small = false;
	if (attr == NULL || pthread_attr_getstack(attr, &low, &size) != 0 ||
	    size == 0 || /* the default size, as without this library */
	    size >= SMALL)
		return attr;
	/* The upper end is 0 if the program provides no memory */
	if ((uintptr_t)low + size != 0) {
		*ret_is_small = true;
		return attr;
	}
	*copy = *attr; /* the library only reads the pointers in *copy, which
	                * belong to the program */
	size += frame_size(SIZE_MAX) + OUR_OWN + FIRST_TICK;
	if (pthread_attr_setstacksize(copy, (size + PAGE - 1) & -PAGE) != 0)
		return attr;
	return copy;
}

bool syc_stack_size_is_small(const stack_t *stack)
{
	return (stack->ss_flags & SS_DISABLE) == 0 &&
	       stack->ss_size < frame_size(OUR_OWN - 512) + OUR_OWN;
}

#define N_SIGNALS 65

/* Signals that were added to the masks of handlers.  Children inherit the
 * table, like handlers. */
static uint8_t added_to[N_SIGNALS];
static int ours; /* 0: unknown */

static bool is_signal(int number)
{
	return number > 0 && number < N_SIGNALS;
}

/* Return the signal of ticks, or, before the first tick, the signal that the
 * sampler tries first. */
static int tick_signal(void)
{
	const struct syc_sampler *const s =
		__atomic_load_n(&syc_sampler, __ATOMIC_ACQUIRE);

	if (s != NULL && __atomic_load_n(&s->is_on, __ATOMIC_RELAXED) != 0)
		return __atomic_load_n(&s->signal, __ATOMIC_RELAXED);
	return ours != 0 ? ours : SYC_TICK_SIGNAL;
}

int syc_tick_mask_get(int number)
{
	return is_signal(number)
	               ? __atomic_load_n(&added_to[number], __ATOMIC_RELAXED)
	               : 0;
}

const struct sigaction *syc_tick_mask_add(const struct sigaction *action,
                                          struct sigaction *copy,
                                          int *ret_added)
{
	const int signal = tick_signal();

	*ret_added = 0;
	if (action == NULL || (action->sa_flags & SA_ONSTACK) == 0 ||
	    action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN ||
	    sigismember(&action->sa_mask, signal) != 0)
		return action;
	*copy = *action;
	sigaddset(&copy->sa_mask, signal);
	*ret_added = signal;
	return copy;
}

void syc_tick_mask_note(int number, int added)
{
	if (is_signal(number))
		__atomic_store_n(&added_to[number], (uint8_t)added,
		                 __ATOMIC_RELAXED);
}

void syc_tick_mask_hide(struct sigaction *action, int added)
{
	if (added != 0)
		sigdelset(&action->sa_mask, added);
}

void syc_tick_mask_update(int signal)
{
	struct sigaction action;
	int added;

	if (signal == 0)
		signal = tick_signal();
	if (signal == ours || syc_seccomp_has_filter())
		return;
	ours = signal;
	for (int number = 1; number < N_SIGNALS; number++) {
		const int before = syc_tick_mask_get(number);

		if (before == 0 || before == signal ||
		    sigaction(number, NULL, &action) != 0)
			continue;
		syc_tick_mask_hide(&action, before);
		const struct sigaction *const with =
			syc_tick_mask_add(&action, &action, &added);
		if (sigaction(number, with, NULL) == 0)
			syc_tick_mask_note(number, added);
	}
}
