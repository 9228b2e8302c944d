/* SPDX-License-Identifier: BSD-2-Clause */
/* at_exit.c - what is done when the process ends. */
#define _GNU_SOURCE
#include "emit/at_exit.h"

#include <stdlib.h>
#include <unistd.h>

#include "emit/loss.h"
#include "emit/own.h"
#include "emit/process.h"
#include "emit/share.h"
#include "emit/thread.h"

/* Under a recorder nothing is to be flushed, but what was lost may be untold. */
static void tell_recorder(void)
{
	if (__atomic_load_n(&syc_active, __ATOMIC_RELAXED) != 0 &&
	    syc_destination_sink() == SYC_SINK_CONTROL &&
	    syc_loss_is_stray_pending())
		syc_thread_tell_last();
}

/* exit() and quick_exit(). */
static void end_at_exit(void)
{
	if (!syc_process_is_there() || syc_process->pid != getpid())
		return;
	if (syc_process->session == NULL)
		tell_recorder();
	else if (syc_own_recording != NULL)
		syc_own_recording->end();
}

void syc_at_exit_watch(void)
{
	at_quick_exit(end_at_exit);
}

/* Each copy's destructors run; those of others may emit until then. */
__attribute__((destructor)) static void end_at_unload(void)
{
	/* It may have been switched on by another, and had no event since.
	 * One that was not is unmapped now: nobody may know of it. */
	if (!syc_process_is_there() &&
	    !(syc_share_is_entered() && syc_share_adopt()))
		return;
	if (syc_copies_end())
		end_at_exit();
}
