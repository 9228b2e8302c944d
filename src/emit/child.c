/* SPDX-License-Identifier: BSD-2-Clause */
/* child.c - a forked child begins without what its parent recorded. */
#define _GNU_SOURCE
#include "emit/child.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "emit/connection.h"
#include "emit/hand_over.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "emit/thread_ring.h"
#include "os/seccomp_state.h"
#include "os/signals.h"

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
	struct syc_state *const own = syc_thread_watched();
	if (own != NULL || syc_self != NULL)
		syc_thread_ring_drop_inherited(
			own != NULL ? own : syc_state_of(syc_self), true);
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
		poll(NULL, 0, 1);
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
	/* A child's only thread may hold a pointer to an inherited state */
	syc_process->low_water = inherited;
	for (uint32_t i = 0; i < inherited; i++)
		syc_thread_ring_drop_inherited(
			syc_state_at(i), !is_main || syc_state_at(i) == own);
	__atomic_store_n(&syc_process->pid, pid, __ATOMIC_RELEASE);
	return pid;
}
