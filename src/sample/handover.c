/* SPDX-License-Identifier: BSD-2-Clause */
/* handover.c - the preloaded sampler leaves sampling to another copy's. */
#define _GNU_SOURCE
#include "sample/handover.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "share/block.h"

/* The watcher looks ten times a second. */
#define WAIT_MS 1000

static bool offers;

void syc_handover_offer(void)
{
	if (!syc_block_is_there())
		return;
	offers = true;
	__atomic_store_n(&syc_block->sampler_yields, 1, __ATOMIC_RELAXED);
}

bool syc_handover_is_due(void)
{
	return offers && __atomic_load_n(&syc_block->sampler_wanted,
	                                 __ATOMIC_RELAXED) != 0;
}

void syc_handover_done(void)
{
	offers = false;
	/* Pairs with the look of the one that asks: the claim is free */
	__atomic_store_n(&syc_block->sampler_yields, 0, __ATOMIC_RELEASE);
}

bool syc_handover_ask(void)
{
	if (!syc_block_is_there() ||
	    __atomic_load_n(&syc_block->sampler_yields, __ATOMIC_RELAXED) == 0)
		return false;
	__atomic_store_n(&syc_block->sampler_wanted, 1, __ATOMIC_RELAXED);
	/* A copy without a watcher looks when it is called, by a signal that is
	 * of no use to anybody else and ignored by default */
	syscall(SYS_tgkill, getpid(), gettid(), SIGURG);
	for (int i = 0; i < WAIT_MS; i++) {
		if (__atomic_load_n(&syc_block->sampler_yields,
		                    __ATOMIC_ACQUIRE) == 0)
			return true;
		poll(NULL, 0, 1);
	}
	return false;
}
