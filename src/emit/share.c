/* SPDX-License-Identifier: BSD-2-Clause */
/* share.c - the block of all copies: made, published, adopted. */
#define _GNU_SOURCE
#include "emit/share.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "copies/copies.h"
#include "emit/own.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "os/env.h"
#include "os/syscalls.h"
#include "ring/clock.h"

/* Missing in programs that emit no addresses. */
#pragma weak syc_map_frames

static const char *why_alone = "";
/* Without these a key of ours may have the number, and the values, of
 * another's. */
static bool has_keys = true;

const char *syc_share_why_alone(void)
{
	return __atomic_load_n(&why_alone, __ATOMIC_RELAXED);
}

bool syc_share_works(void)
{
	return *syc_share_why_alone() == '\0';
}

static void work_alone(const char *why)
{
	__atomic_store_n(&why_alone, why, __ATOMIC_RELAXED);
	syc_diag_say("this copy of the library works alone", why);
}

/* The states begin with a page. */
static size_t wiped_front(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (sizeof(struct syc_process) + page - 1) / page * page;
}

/*
 * States and syc_process in one mapping that a child finds zeroed, the block
 * in another one.  Without MADV_WIPEONFORK (Linux < 4.14) the atfork handler
 * clears it, and _Fork() is not noticed.
 */
static struct syc_block *make_block(const struct syc_control_socket *control,
                                    const struct sockaddr_un *recorder,
                                    uint32_t arena_body,
                                    const struct syc_destination *environment)
{
	const size_t front = wiped_front();
	const size_t size = front + SYC_THREADS_MAX * sizeof(struct syc_state);
	const size_t kept = sizeof(struct syc_block) +
	                    SYC_THREADS_MAX * sizeof(struct syc_mapped);
	char *const wiped =
		mmap(NULL, size, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *const base =
		mmap(NULL, kept, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (wiped == MAP_FAILED || base == MAP_FAILED) {
		if (wiped != MAP_FAILED)
			munmap(wiped, size);
		if (base != MAP_FAILED)
			munmap(base, kept);
		return NULL;
	}
	if (madvise(wiped, size, MADV_WIPEONFORK) != 0)
		syc_diag_say("MADV_WIPEONFORK", "not supported: children of "
		                                "_Fork() must not emit");
	struct syc_block *const block = (struct syc_block *)(void *)base;
	block->process = (struct syc_process *)(void *)wiped;
	block->states = (struct syc_state *)(void *)(wiped + front);
	block->mapped = (struct syc_mapped *)(void *)(base + sizeof(*block));
	block->reason = "nothing was recorded yet";
	block->control = *control;
	block->recorder = recorder;
	block->arena_body = arena_body;
	block->environment = environment;
	/* known before there are events: a vfork() child that has the first
	 * one of all must not pass for us */
	block->process->born = getpid();
	block->process->pid = block->process->born;
	return block;
}

/* Two threads may adopt at the same time, the same: the first one stores.  The
 * other does so where it waits in vain, as in a child forked meanwhile. */
static void use_block(struct syc_block *block)
{
	static struct syc_block *taken;
	struct syc_block *none = NULL;

	if (!syc_process_is_there() &&
	    !__atomic_compare_exchange_n(&taken, &none, block, false,
	                                 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		for (int i = 0; i < 10 && !syc_process_is_there(); i++)
			syc_futex_nap();
	if (syc_process_is_there())
		return;
	if (&syc_map_frames != NULL)
		__atomic_store_n(&block->map_frames, &syc_map_frames,
		                 __ATOMIC_RELEASE);
	__atomic_store_n(&syc_states, block->states, __ATOMIC_RELEASE);
	__atomic_store_n(&syc_block, block, __ATOMIC_RELEASE);
	__atomic_store_n(&syc_process, block->process, __ATOMIC_RELEASE);
}

bool syc_share_adopt(void)
{
	struct syc_block *const block =
		__atomic_load_n(&syc_own_words.block, __ATOMIC_ACQUIRE);

	if (block == NULL)
		return false;
	if (!syc_copies_enter(block, &syc_active, &syc_drain_sleeping)) {
		/* The copies that come later find another one's words */
		__atomic_store_n(&syc_own_words.block, NULL, __ATOMIC_RELAXED);
		work_alone("there are too many copies of the library");
		return false;
	}
	use_block(block);
	return true;
}

bool syc_share_find(void)
{
	struct syc_block *block;

	if (syc_share_adopt())
		return true;
	if (!syc_share_works())
		return false;
	switch (syc_discovery_find(&block)) {
	case 0:
		__atomic_store_n(&syc_own_words.block, block, __ATOMIC_RELEASE);
		return syc_share_adopt();
	case -EXDEV:
		has_keys = false;
		work_alone("this copy of the library uses another C library "
		           "than the program (dlmopen)");
		return false;
	default:
		return false;
	}
}

static void discard_block(struct syc_block *block)
{
	if (block->exit_key != 0)
		pthread_key_delete((pthread_key_t)(block->exit_key - 1));
	munmap(block->process,
	       wiped_front() + SYC_THREADS_MAX * sizeof(struct syc_state));
	munmap(block,
	       sizeof(*block) + SYC_THREADS_MAX * sizeof(struct syc_mapped));
}

int syc_share_found(const struct syc_control_socket *control,
                    const struct sockaddr_un *recorder, uint32_t arena_body,
                    const struct syc_destination *environment,
                    const struct syc_share_hooks *hooks)
{
	pthread_key_t key;

	if (syc_share_find())
		return 0;
	struct syc_block *const block =
		make_block(control, recorder, arena_body, environment);
	if (block == NULL)
		return -ENOMEM;
	syc_clock_init(block);
	if (has_keys && pthread_key_create(&key, hooks->on_thread_exit) == 0)
		block->exit_key = 1 + key;
	if (syc_share_works() && syc_discovery_publish(block) != 0 &&
	    syc_share_find()) {
		discard_block(block); /* another copy was first, just now */
		return 0;
	}
	block->is_alone = !syc_share_works();
	syc_copies_enter(block, &syc_active, &syc_drain_sleeping);
	use_block(block);
	pthread_atfork(hooks->on_fork, NULL, hooks->on_child);
	at_quick_exit(hooks->on_quick_exit);
	return 0;
}
