/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_first.c - an event of a thread that has no state, or is of another
 * epoch. */
#include <errno.h>

#include "emit/loss.h"
#include "emit/process.h"
#include "emit/setup.h"
#include "emit/thread.h"
#include "emit/thread_claim.h"
#include "emit/thread_leave.h"
#include "os/all_signals.h"
#include "os/boxed.h"
#include "ring/clock.h"

SYC_COLD struct syc_thread *syc_thread_first(uint8_t type)
{
	const int saved = errno;
	struct syc_thread *st = NULL;
	struct syc_undisturbed before;

	/* What it takes to have a ring may be forbidden */
	if (syc_boxed_is())
		goto lost;
	if (!syc_process_is_there())
		syc_setup_run();
	if (__atomic_load_n(&syc_active, __ATOMIC_ACQUIRE) < 0)
		syc_setup_decide();
	if (!syc_process_is_there()) {
		if (__atomic_load_n(&syc_active, __ATOMIC_ACQUIRE) == 0)
			return NULL;
		syc_undisturbed_begin(&before);
		syc_setup_join();
		syc_undisturbed_end(&before);
	}
	/* Acquire: what was set up before recording began is there */
	if (__atomic_load_n(&syc_active, __ATOMIC_ACQUIRE) == 0 ||
	    !syc_process_is_there())
		return NULL;
	syc_undisturbed_begin(&before);
	/* The thread ends, but a later destructor of its emits */
	if (syc_thread_has_ended())
		syc_self = NULL;
	if (syc_self == NULL)
		syc_thread_claim();
	if (syc_self != NULL)
		syc_thread_leave_epoch(syc_state_of(syc_self));
	syc_undisturbed_end(&before);
	st = syc_self;
lost:
	if (st == NULL)
		syc_loss_count_stray(type, 0, syc_clock_kernel());
	errno = saved;
	return st;
}
