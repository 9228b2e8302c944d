/* SPDX-License-Identifier: BSD-2-Clause */
/* process.c - what all threads of the process share. */
#include "emit/process.h"

#include <stddef.h>

#include "os/env.h"

struct syc_process *syc_process;

static const char *reason = "nothing was recorded yet"; /* without a block */

const char **syc_process_reason(void)
{
	return syc_block_is_there() ? &syc_block->reason : &reason;
}

void syc_process_set_reason(const char *text)
{
	__atomic_store_n(syc_process_reason(), text, __ATOMIC_RELAXED);
}

void syc_process_turn_off(const char *why)
{
	syc_process_set_reason(why);
	if (syc_block_is_there())
		syc_copies_set_active(0);
	else
		__atomic_store_n(&syc_active, 0, __ATOMIC_RELAXED);
	syc_diag_say("recording is off", why);
}

int syc_process_next_epoch(void)
{
	return __atomic_add_fetch(&syc_block->last_epoch, 1, __ATOMIC_RELAXED);
}
