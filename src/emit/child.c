/* SPDX-License-Identifier: BSD-2-Clause */
/* child.c - a forked child begins without what its parent recorded. */
#define _GNU_SOURCE
#include "emit/child.h"

#include <string.h>
#include <unistd.h>

#include "emit/connection.h"
#include "emit/hand_over.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "emit/thread_ring.h"
#include "os/seccomp_state.h"
#include "os/signals.h"
#include "os/syscalls.h"

void syc_child_prepare(void)
{
	struct syc_state *const own =
		syc_process_is_there() ? syc_thread_of_self() : NULL;

	if (own != NULL)
		syc_thread_mapped(own)->is_emitting =
			own->hot.owner != 0 || own->hot.disturbed != 0;
}

/*
 * F1: no thread of this child claims the state of the thread that forked, since
 * that thread still has a pointer to it.  @is_first: this is that thread, and
 * @own its state, if it had one.  If other copies of the library may have
 * pointers to other states, or if @is_first is false, all are left.
 */
static void leave_states(const struct syc_state *own, bool is_first)
{
	const uint32_t ever =
		__atomic_load_n(&syc_block->states_ever, __ATOMIC_RELAXED);
	const bool is_known = is_first && (syc_thread_watched() != NULL ||
	                                   syc_copies_count() == 1);

	for (uint32_t i = 0; i < ever; i++)
		if (!is_known || syc_state_at(i) == own)
			__atomic_store_n(
				&syc_thread_mapped(syc_state_at(i))->is_left,
				true, __ATOMIC_RELAXED);
}

static void begin_child(void)
{
	const int32_t pid = getpid();

	syc_process->born = pid;
	syc_process->is_child = true;
	if (syc_process->pid == pid) /* emitted in another handler of fork() */
		return;
	if (syc_process->pid != 0) { /* was not wiped */
		memset(syc_process, 0, sizeof(*syc_process));
		memset(syc_states, 0,
		       syc_block->states_ever * sizeof(struct syc_state));
		syc_process->born = pid;
		syc_process->is_child = true;
	}
	syc_connection_forget();
	const struct syc_state *const own = syc_thread_of_self();
	leave_states(own, true);
	if (own == NULL)
		return;
	syc_process->may_continue = !syc_thread_mapped(own)->is_emitting;
	syc_thread_ring_drop_inherited(own, true);
}

/* What fork() can do at once and _Fork() leaves to the first event. */
void syc_child_begin(void)
{
	struct syc_undisturbed before;

	if (syc_seccomp_is_closed())
		return;
	syc_undisturbed_begin(&before);
	begin_child();
	syc_undisturbed_end(&before);
}

/* Another thread is at it: 0 if it is not done within 5 s. */
static int32_t wait_for_pid(void)
{
	for (int i = 0; i < 5000; i++) {
		const int32_t pid =
			__atomic_load_n(&syc_process->pid, __ATOMIC_ACQUIRE);

		if (pid > 0)
			return pid;
		syc_futex_nap();
	}
	return 0;
}

int32_t syc_child_pid(void)
{
	const int32_t known =
		__atomic_load_n(&syc_process->pid, __ATOMIC_ACQUIRE);

	if (known > 0)
		return known;
	const int32_t pid = getpid();
	if (syc_process->born != 0 && syc_process->born != pid)
		return 0; /* a vfork() child of one that has not emitted */
	/* The first event of a forked child.  Whoever comes first does it,
	 * with signals blocked: it is another thread that others wait for. */
	int32_t expected = 0;
	if (!__atomic_compare_exchange_n(&syc_process->pid, &expected, -1,
	                                 false, __ATOMIC_ACQUIRE,
	                                 __ATOMIC_ACQUIRE))
		return wait_for_pid();
	syc_connection_forget();
	syc_hand_over_begin_child();
	const uint32_t inherited =
		__atomic_load_n(&syc_block->states_ever, __ATOMIC_RELAXED);
	const struct syc_state *const own = syc_thread_of_self();
	const bool is_main = pid == gettid();
	syc_process->high_water = inherited;
	if (!syc_process->is_child) /* after _Fork() or clone */
		leave_states(own, is_main);
	for (uint32_t i = 0; i < inherited; i++)
		syc_thread_ring_drop_inherited(
			syc_state_at(i), !is_main || syc_state_at(i) == own);
	__atomic_store_n(&syc_process->pid, pid, __ATOMIC_RELEASE);
	return pid;
}
