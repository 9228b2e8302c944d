/* SPDX-License-Identifier: BSD-2-Clause */
/* at_exit.c - what is done when the process ends. */
#define _GNU_SOURCE
#include "emit/at_exit.h"

#include <unistd.h>

#include "emit/process.h"
#include "emit/ring_source.h"
#include "emit/share.h"
#include "os/seccomp_state.h"
#include "os/signals.h"

void syc_at_exit_end(void)
{
	struct syc_undisturbed before;

	if (syc_seccomp_is_closed() || !syc_process_is_there() ||
	    syc_process->pid != getpid())
		return;
	/* A handler on top of it would wait for itself */
	syc_undisturbed_begin(&before);
	for (int i = 0; i < SYC_N_SOURCES; i++)
		if (syc_ring_sources[i] != NULL && syc_ring_sources[i]->end())
			break;
	syc_undisturbed_end(&before);
}

/* Each copy's destructors run; those of others may emit until then.  The last of
 * this object's: others emit too, such as the sampler's, and without a priority
 * their order is that of the link. */
__attribute__((destructor(101))) static void end_at_unload(void)
{
	/* Another copy may have switched this one on, and it has had no event
	 * since.  A copy that was never switched on is unmapped now, so nobody
	 * may know of it. */
	if (!syc_process_is_there() && !syc_share_adopt())
		return;
	if (syc_copies_end())
		syc_at_exit_end();
}
