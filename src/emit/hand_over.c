/* SPDX-License-Identifier: BSD-2-Clause */
/* hand_over.c - the arenas that a process makes for its recorder. */
#define _GNU_SOURCE
#include "emit/hand_over.h"

#include <errno.h>
#include <unistd.h>

#include "emit/arena_memfd.h"
#include "emit/ask.h"
#include "emit/connection.h"
#include "emit/control.h"
#include "emit/handed_arena.h"
#include "emit/process.h"
#include "os/env.h"
#include "os/permanent_map.h"
#include "os/process.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"

/* How many ms a thread waits for another that is making it. */
#define PATIENCE SYC_CONTROL_TIMEOUT_MS
/* Of one process, and of those that it was forked from. */
#define ARENAS_MAX 16

/* syc_block leads to the newest. */
static struct syc_handed_arena *find_newest(void)
{
	return __atomic_load_n(&syc_block->hand_over, __ATOMIC_ACQUIRE);
}

static bool may_have_slots(const struct syc_handed_arena *h)
{
	const uint32_t phase = syc_handed_arena_phase(h);

	return phase == SYC_HANDED_UNSENT || phase == SYC_HANDED_SENT;
}

bool syc_hand_over_is_wanted(void)
{
	return syc_block->arena_body != 0 &&
	       ((syc_block->control.is_ours &&
	         syc_control_is_same(&syc_block->control)) ||
	        syc_ask_is_by_name());
}

/* A lack of descriptors or of memory may pass. */
static bool is_passing(int r)
{
	return r == -EMFILE || r == -ENFILE || r == -ENOMEM;
}

static int make_arena(struct syc_handed_arena *h)
{
	const struct syc_handed_arena *const older = h->older;

	h->pid = syc_process->pid;
	h->pid_ns = syc_pid_namespace_id();
	h->began = older != NULL && older->pid == h->pid ? older->began
	                                                 : syc_clock_kernel();
	return syc_arena_memfd_make(&h->arena, h->pid, h->began, &h->file);
}

/* The caller holds the lock of @h, or of the one before. */
static void make_and_send(struct syc_handed_arena *h)
{
	const int r = make_arena(h);

	if (r != 0) {
		if (!is_passing(r))
			syc_handed_arena_set_phase(h, SYC_HANDED_IMPOSSIBLE);
		syc_diag_say("rings can't be handed over to the recorder",
		             "each is asked for");
		return;
	}
	h->unsent_since = syc_clock_kernel();
	if (syc_handed_arena_is_hopeless(syc_handed_arena_send(h, false))) {
		/* Perhaps without a descriptor, or later */
		syc_arena_memfd_close(&h->file);
		syc_arena_destroy(&h->arena);
		syc_handed_arena_set_phase(h, SYC_HANDED_IMPOSSIBLE);
		return;
	}
	/* Not before: what others publish there is lost if we are killed */
	if (syc_handed_arena_phase(h) == SYC_HANDED_NONE) {
		syc_handed_arena_set_phase(h, SYC_HANDED_UNSENT);
		/* The next event of any thread comes by */
		syc_copies_set_sleeping(1);
	}
}

static void make_first(struct syc_handed_arena *h)
{
	if (syc_handed_arena_phase(h) == SYC_HANDED_NONE)
		make_and_send(h);
}

/* All of its slots are taken. */
static void make_next(struct syc_handed_arena *h)
{
	struct syc_handed_arena *const next =
		find_newest() == h ? syc_lazy_map_get(&h->next, sizeof(*next))
				   : NULL;

	if (next == NULL ||
	    syc_handed_arena_phase(next) == SYC_HANDED_IMPOSSIBLE)
		return;
	next->older = h;
	make_and_send(next);
	if (may_have_slots(next))
		__atomic_store_n(&syc_block->hand_over, next, __ATOMIC_RELEASE);
}

/* One thread does it, others wait until @is_done. */
static void make_locked(struct syc_handed_arena *h,
                        bool (*is_done)(const struct syc_handed_arena *h),
                        void (*make)(struct syc_handed_arena *h))
{
	for (int i = 0; !is_done(h) && i < PATIENCE; i++) {
		const uint32_t holder = syc_tid_lock_try(&h->lock);

		if (holder == 0) {
			/* A vfork() child would put its own pid into it */
			if (syc_process->pid == getpid())
				make(h);
			syc_tid_lock_give(&h->lock);
			break;
		}
		/* A filter may kill the thread that makes a memfd: one
		 * victim is enough */
		if (syc_tid_is_gone((int32_t)holder))
			break;
		syc_futex_nap();
	}
}

static bool is_decided(const struct syc_handed_arena *h)
{
	return syc_handed_arena_phase(h) != SYC_HANDED_NONE;
}

static bool has_newer(const struct syc_handed_arena *h)
{
	return find_newest() != h;
}

/* In the first that has a free slot; -EMFILE: none has. */
static int claim_in_any(const struct syc_handed_arena *h, int32_t pid,
                        struct syc_slot *ret_slot, unsigned *ret_n)
{
	int r = -EMFILE;

	*ret_n = 0;
	for (; h != NULL && r == -EMFILE; h = h->older, ++*ret_n)
		if (may_have_slots(h))
			r = syc_arena_claim(&h->arena, -1, pid, ret_slot);
	return r;
}

int syc_hand_over_claim(int32_t pid, struct syc_slot *ret_slot)
{
	struct syc_handed_arena *h = find_newest();
	unsigned n;
	int r;

	if (h == NULL || syc_handed_arena_phase(h) == SYC_HANDED_NONE) {
		if (!syc_hand_over_is_wanted())
			return -ENOENT;
		h = syc_lazy_map_get(&syc_block->hand_over, sizeof(*h));
		if (h == NULL)
			return -ENOMEM;
		make_locked(h, is_decided, make_first);
	}
	while (may_have_slots(h)) {
		r = claim_in_any(h, pid, ret_slot, &n);
		if (r != -EMFILE || n >= ARENAS_MAX ||
		    !syc_hand_over_is_wanted())
			return r;
		make_locked(h, has_newer, make_next);
		if (!has_newer(h))
			return r;
		h = find_newest();
	}
	return -ENOENT;
}

/* ---------------------------------------------------------------- in a child */

static bool is_inherited(const struct syc_handed_arena *h)
{
	return syc_handed_arena_phase(h) == SYC_HANDED_SENT && h->pid_ns != 0 &&
	       h->pid_ns == syc_pid_namespace_id();
}

/* Perhaps half-way made, when the parent forked. */
static void begin_anew(struct syc_handed_arena *h)
{
	h->lock = 0;
	h->is_told = false;
	syc_connection_drop(&h->connection);
	syc_handed_arena_set_phase(h, SYC_HANDED_NONE);
	syc_arena_memfd_close(&h->file);
	syc_arena_forget(&h->arena);
}

void syc_hand_over_begin_child(void)
{
	struct syc_handed_arena *const newest = find_newest();
	struct syc_handed_arena **link = &syc_block->hand_over;
	struct syc_handed_arena *oldest = newest, *h, *older;

	if (newest == NULL)
		return;
	newest->lock = 0;
	if (syc_handed_arena_phase(newest) == SYC_HANDED_IMPOSSIBLE)
		return;
	if (newest->next != NULL)
		begin_anew(newest->next);
	for (h = newest; h != NULL; oldest = h, h = older) {
		older = h->older;
		if (is_inherited(h)) {
			h->lock = 0;
			*link = h;
			link = &h->older;
		} else {
			begin_anew(h);
		}
	}
	*link = NULL;
	/* Its memory is there */
	if (syc_block->hand_over == NULL)
		syc_block->hand_over = oldest;
	syc_block->hand_over->next = NULL;
}
