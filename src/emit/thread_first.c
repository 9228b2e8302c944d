/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_first.c - an event of a thread that has no state, or is of another
 * epoch. */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include "copies/copies.h"
#include "emit/loss.h"
#include "emit/process.h"
#include "emit/setup.h"
#include "emit/thread.h"
#include "emit/thread_claim.h"
#include "emit/thread_leave.h"
#include "os/seccomp_state.h"
#include "os/signals.h"
#include "os/threads.h"
#include "ring/clock.h"

SYC_COLD struct syc_thread *syc_thread_first(uint8_t type)
{
	struct syc_thread *st = NULL;
	struct syc_undisturbed before;

	/* IFUNC resolvers and functions in .preinit_array run before there is
	 * an environment, or even thread-local storage */
	if (__atomic_load_n(&syc_active, __ATOMIC_RELAXED) == SYC_NOT_LOOKED &&
	    (environ == NULL || !syc_thread_pointer_is_set()))
		goto nowhere;
	const int saved = errno;
	/* What it takes to have a ring may be forbidden */
	if (syc_seccomp_has_filter())
		goto lost;
	if (!syc_process_is_there())
		syc_setup_run();
	if (__atomic_load_n(&syc_active, __ATOMIC_ACQUIRE) == SYC_LEFT_OPEN)
		syc_setup_decide();
	if (!syc_process_is_there()) {
		if (__atomic_load_n(&syc_active, __ATOMIC_ACQUIRE) == 0)
			goto nowhere;
		syc_undisturbed_begin(&before);
		syc_setup_join();
		syc_undisturbed_end(&before);
	}
	/* Acquire: what was set up before recording began is there */
	if (__atomic_load_n(&syc_active, __ATOMIC_ACQUIRE) == 0 ||
	    !syc_process_is_there())
		goto nowhere;
	syc_undisturbed_begin(&before);
	/* The thread ends, but a later destructor of its emits */
	if (syc_thread_has_ended())
		syc_self = NULL;
	if (syc_self == NULL || !syc_thread_is_begun(syc_state_of(syc_self)))
		syc_thread_claim();
	if (syc_self != NULL && syc_thread_is_begun(syc_state_of(syc_self))) {
		st = syc_self;
		syc_thread_leave_epoch(syc_state_of(st));
	}
	syc_undisturbed_end(&before);
lost:
	if (st == NULL)
		syc_loss_count_stray(type, 0, syc_clock_kernel());
	errno = saved;
	return st;
nowhere:
	if (__atomic_load_n(&syc_active, __ATOMIC_RELAXED) == SYC_NOT_LOOKED)
		__atomic_fetch_add(&syc_setup_n_early, 1, __ATOMIC_RELAXED);
	return NULL;
}
