/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_compose_purity.c - ticks of threads with runtimes neither allocate nor
 * take a lock.
 *
 * Allocations and locks are counted while the handler runs (harness/pure.h).
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/pure.h"
#include "harness/test.h"
#include "sampler/compose.h"
#include "sampler/toy.h"
#include "unwind/unwind.h"

static volatile int n_ticks;
static struct toy toy;
static struct syc_workspace *take;

static void on_tick(int signal, siginfo_t *info, void *context)
{
	const struct syc_sample_options options = { .max_depth = 512 };

	(void)signal;
	(void)info;
	pure_begin();
	syc_compose_tick(take, &options, context, syscap_clock(), 1);
	pure_end();
	n_ticks++;
}

static void native(struct toy *t)
{
	(void)t;
	raise(SIGUSR1);
}

/* Uses new names, which also need entries in the table, and frames. */
CHILD(is_sampled)
{
	const struct sigaction sa = { .sa_sigaction = on_tick,
		                      .sa_flags = SA_SIGINFO };
	char names[50][32];
	struct toy_function functions[50];

	CHECK_EQ(syc_unwind_prepare(), 0);
	take = mmap(NULL, syc_workspace_size(), PROT_READ | PROT_WRITE,
	            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	toy_init(&toy, (uint32_t)atoi(peer_arg()));
	toy.attachment = syscap_attach_thread(&toy.provider, &toy);
	CHECK(toy.attachment != NULL);
	sigaction(SIGUSR1, &sa, NULL);
	for (int i = 0; i < 50; i++) {
		snprintf(names[i], sizeof(names[i]), "function %d", i);
		functions[i] = (struct toy_function){
			names[i], i < 49 ? &functions[i + 1] : NULL, native
		};
	}
	toy_eval(&toy, functions);
	CHECK_EQ(n_ticks, 50);
	CHECK(pure_is_nothing());
	syscap_detach_thread(toy.attachment);
}

TEST(ticks_neither_allocate_nor_lock)
{
	/* SIGNAL, SIGNAL with SP, with ENTRY, or with HANDLES; and SAFEPOINT */
	static const char *const caps[] = { "1", "9", "17", "13", "2" };

	if (!pure_can_count())
		SKIP("a sanitizer's allocator and locks are its own");
	for (int i = 0; i < 5; i++) {
		struct peer peer;

		peer_start_arg(&peer, "is_sampled", caps[i], 1 << 20,
		               PEER_OURS);
		CHECK_EQ(peer_finish(&peer), 0);
		CHECK(peer_count(&peer, 2) > 0);
		CHECK(peer_count(&peer, 7) > 0);
		peer_free(&peer);
	}
}
