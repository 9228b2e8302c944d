/* SPDX-License-Identifier: BSD-2-Clause */
/* hand_over.c - the arena that a process makes for its recorder. */
#define _GNU_SOURCE
#include "emit/hand_over.h"

#include <errno.h>
#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

#include "emit/arena_memfd.h"
#include "emit/ask.h"
#include "emit/connection.h"
#include "emit/control.h"
#include "emit/process.h"
#include "os/all_signals.h"
#include "os/backing.h"
#include "os/diag.h"
#include "os/pid_namespace.h"
#include "os/tid.h"
#include "os/tid_lock.h"
#include "ring/clock.h"

#define MS INT64_C(1000000)

/* Between two attempts to send it. */
#define RETRY_MIN_NS (10 * MS)
#define RETRY_MAX_NS (1000 * MS)
/* How many ms a thread waits for another that is making it. */
#define PATIENCE SYC_CONTROL_TIMEOUT_MS
/* Of one process, and of those that it was forked from. */
#define ARENAS_MAX 16

/* What has become of it.  The holder of the lock stores it, release. */
enum {
	NONE,
	UNSENT, /* could not be; slots may be claimed all the same */
	SENT,
	LOST, /* will never be sent: threads ask for rings from now on */
	IMPOSSIBLE
};

/** In memory that a child inherits.  syc_block leads to the newest. */
struct syc_hand_over {
	/* Where all slots were taken, or NULL.  Set before others see this one */
	struct syc_hand_over *older;
	/* What is made when all slots are taken; nobody sees it before that */
	struct syc_hand_over *next;
	uint32_t lock; /* held to make it, to send it, or to make the next one:
	                * os/tid_lock.h */
	uint32_t phase;
	int32_t pid;     /* who has made it */
	bool is_told;    /* the recorder knows that there is one */
	uint64_t pid_ns; /* where that means something; 0: not known */
	int64_t began;   /* when the process made its first, ns */
	struct syc_arena arena;
	/* Until it is sent; fd 0: not any more */
	struct syc_control_socket file;
	struct syc_control_socket connection; /* emit/connection.h */
	int64_t unsent_since, try_at;         /* ns */
};

static struct syc_hand_over *find_newest(void)
{
	return __atomic_load_n(&syc_block->hand_over, __ATOMIC_ACQUIRE);
}

static uint32_t phase_of(const struct syc_hand_over *h)
{
	return __atomic_load_n(&h->phase, __ATOMIC_ACQUIRE);
}

static void set_phase(struct syc_hand_over *h, uint32_t phase)
{
	__atomic_store_n(&h->phase, phase, __ATOMIC_RELEASE);
}

static bool may_have_slots(const struct syc_hand_over *h)
{
	const uint32_t phase = phase_of(h);

	return phase == UNSENT || phase == SENT;
}

/* ----------------------------------------------------------------- sending */

/* The inherited socket, then the name.  0; -EPIPE, -ESTALE: nobody is there, nor
 * will be; or -errno. */
static int send_message(struct syc_hand_over *h, const char *message, int fd)
{
	int r = -ESTALE;

	if (syc_block->control.is_ours)
		r = syc_control_send_message(&syc_block->control, message, fd);
	if (r == 0 || syc_block->recorder->sun_family == 0)
		return r;
	const int by_name = syc_connection_send(&h->connection, message, fd);
	/* Nobody at a name is no end, but where the recorder has hung up too */
	return by_name == 0 || r != -EPIPE ? by_name : r;
}

/* For good: a filter, or a policy. */
static bool is_forbidden(int r)
{
	return r == -EPERM || r == -EACCES || r == -ENOSYS;
}

static void give_up_arena(struct syc_hand_over *h)
{
	syc_arena_memfd_close(&h->file);
	set_phase(h, LOST);
}

static void try_later(struct syc_hand_over *h)
{
	const int64_t now = syc_clock_kernel();
	const int64_t wait = (now - h->unsent_since) / 4;

	__atomic_store_n(&h->try_at,
	                 now + (wait < RETRY_MIN_NS   ? RETRY_MIN_NS
	                        : wait > RETRY_MAX_NS ? RETRY_MAX_NS
	                                              : wait),
	                 __ATOMIC_RELAXED);
	/* The next event of any thread comes by */
	syc_copies_set_sleeping(1);
}

/* We may be killed before it can be sent: then the recorder knows that there was
 * one.  What keeps a descriptor from being sent (a limit on those that nobody has
 * received yet) keeps no words. */
static void tell_of_it(struct syc_hand_over *h)
{
	if (!h->is_told && send_message(h, SYC_CONTROL_HAVE, -1) == 0)
		h->is_told = true;
}

/* The caller holds the lock.  The program may have closed the file: then the
 * recorder can be told that, and nothing else; and at the last attempt.  Returns
 * what sending it gave. */
static int try_to_send(struct syc_hand_over *h, bool is_last)
{
	const bool is_there = syc_arena_memfd_is_there(&h->file);
	const int r = is_there ? send_message(h,
	                                      h->is_told ? SYC_CONTROL_GAVE
	                                                 : SYC_CONTROL_TAKE,
	                                      h->file.fd)
	                       : -EBADF;

	if (r == 0) {
		set_phase(h, SENT);
		syc_arena_memfd_close(&h->file);
	} else if (r == -EPIPE || r == -ESTALE) {
		give_up_arena(h);
		syc_process_turn_off(
			r == -EPIPE
				? "the recorder is gone"
				: "SYSPROF_CONTROL_FD was closed or reused");
	} else if ((is_last || !is_there) &&
	           (h->is_told || send_message(h, SYC_CONTROL_LOST, -1) == 0)) {
		give_up_arena(h);
	} else {
		/* Who may never send one asks for rings */
		if (!is_forbidden(r))
			tell_of_it(h);
		try_later(h);
	}
	return r;
}

/* 0: it is not unsent any more. */
static int try_if_unsent(struct syc_hand_over *h, bool is_last)
{
	int r = -EBUSY;

	if (syc_tid_lock_try(&h->lock) == 0) {
		if (phase_of(h) == UNSENT)
			r = try_to_send(h, is_last);
		syc_tid_lock_give(&h->lock);
	}
	return phase_of(h) != UNSENT ? 0 : r;
}

/* There is no later event: the recorder may be about to make room. */
static void try_for_a_while(struct syc_hand_over *h)
{
	const int64_t deadline = syc_clock_kernel() + PATIENCE * MS;
	int r = try_if_unsent(h, false);

	while (r != 0 && !is_forbidden(r) && syc_clock_kernel() < deadline) {
		poll(NULL, 0, 1);
		r = try_if_unsent(h, false);
	}
	if (r != 0)
		try_if_unsent(h, true);
}

static void retry_one(struct syc_hand_over *h, bool at_exit)
{
	struct syc_undisturbed before;

	if (phase_of(h) != UNSENT)
		return;
	if (!at_exit && syc_clock_kernel() <
	                        __atomic_load_n(&h->try_at, __ATOMIC_RELAXED)) {
		__atomic_store_n(&syc_drain_sleeping, 1, __ATOMIC_RELAXED);
		return;
	}
	/* A vfork() child has descriptors of its own; any other one has not
	 * begun yet */
	if (h->pid != getpid())
		return;
	syc_undisturbed_begin(&before);
	if (at_exit)
		try_for_a_while(h);
	else
		try_if_unsent(h, false);
	syc_undisturbed_end(&before);
}

void syc_hand_over_retry(bool at_exit)
{
	for (struct syc_hand_over *h = find_newest(); h != NULL; h = h->older)
		retry_one(h, at_exit);
}

/* ---------------------------------------------------------------- together */

bool syc_hand_over_is_wanted(void)
{
	return syc_block->arena_body != 0 &&
	       ((syc_block->control.is_ours &&
	         syc_control_is_same(&syc_block->control)) ||
	        syc_ask_is_by_name());
}

/* Descriptors and memory may be had again. */
static bool is_passing(int r)
{
	return r == -EMFILE || r == -ENFILE || r == -ENOMEM;
}

static int make_arena(struct syc_hand_over *h)
{
	const struct syc_hand_over *const older = h->older;

	h->pid = syc_process->pid;
	h->pid_ns = syc_pid_namespace_id();
	h->began = older != NULL && older->pid == h->pid ? older->began
	                                                 : syc_clock_kernel();
	return syc_arena_memfd_make(&h->arena, h->pid, h->began, &h->file);
}

/* The caller holds the lock of @h, or of the one before. */
static void make_and_send(struct syc_hand_over *h)
{
	const int r = make_arena(h);

	if (r != 0) {
		if (!is_passing(r))
			set_phase(h, IMPOSSIBLE);
		syc_diag_say("rings can't be handed over to the recorder",
		             "each is asked for");
		return;
	}
	h->unsent_since = syc_clock_kernel();
	if (is_forbidden(try_to_send(h, false))) {
		/* Perhaps without a descriptor */
		syc_arena_memfd_close(&h->file);
		syc_arena_destroy(&h->arena);
		set_phase(h, IMPOSSIBLE);
		return;
	}
	/* Not before: what others publish there is lost if we are killed */
	if (phase_of(h) == NONE) {
		set_phase(h, UNSENT);
		/* The next event of any thread comes by */
		syc_copies_set_sleeping(1);
	}
}

static void make_first(struct syc_hand_over *h)
{
	if (phase_of(h) == NONE)
		make_and_send(h);
}

/* All of its slots are taken. */
static void make_next(struct syc_hand_over *h)
{
	struct syc_hand_over *const next =
		find_newest() == h ? syc_backing_get(&h->next, sizeof(*next))
				   : NULL;

	if (next == NULL || phase_of(next) == IMPOSSIBLE)
		return;
	next->older = h;
	make_and_send(next);
	if (may_have_slots(next))
		__atomic_store_n(&syc_block->hand_over, next, __ATOMIC_RELEASE);
}

/* One thread does it, others wait until @is_done. */
static void make_locked(struct syc_hand_over *h,
                        bool (*is_done)(const struct syc_hand_over *h),
                        void (*make)(struct syc_hand_over *h))
{
	for (int i = 0; !is_done(h) && i < PATIENCE; i++) {
		const uint32_t holder = syc_tid_lock_try(&h->lock);

		if (holder == 0) {
			/* A vfork() child would make one of its own number */
			if (syc_process->pid == getpid())
				make(h);
			syc_tid_lock_give(&h->lock);
			break;
		}
		/* A filter may kill who makes a memfd; one is enough */
		if (syc_tid_is_gone((int32_t)holder))
			break;
		poll(NULL, 0, 1);
	}
}

static bool is_decided(const struct syc_hand_over *h)
{
	return phase_of(h) != NONE;
}

static bool has_newer(const struct syc_hand_over *h)
{
	return find_newest() != h;
}

/* In the first that has a free slot; -EMFILE: none has. */
static int claim_in_any(const struct syc_hand_over *h, int32_t pid,
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
	struct syc_hand_over *h = find_newest();
	unsigned n;
	int r;

	if (h == NULL || phase_of(h) == NONE) {
		if (!syc_hand_over_is_wanted())
			return -ENOENT;
		h = syc_backing_get(&syc_block->hand_over, sizeof(*h));
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

struct syc_arena_head *syc_hand_over_head(void)
{
	const struct syc_hand_over *const h = find_newest();
	const uint32_t phase = h != NULL ? phase_of(h) : NONE;

	/* A child that has not begun has nothing to do with what is unsent */
	return phase == SENT || (phase == UNSENT && h->pid == syc_process->pid)
	               ? syc_arena_head(&h->arena)
	               : NULL;
}

bool syc_hand_over_is_closed(void)
{
	for (const struct syc_hand_over *h = find_newest(); h != NULL;
	     h = h->older)
		if (phase_of(h) == SENT &&
		    syc_slot_state(__atomic_load_n(
			    &syc_arena_head(&h->arena)->drainer,
			    __ATOMIC_SEQ_CST)) == SYC_ARENA_CLOSED)
			return true;
	return false;
}

/* ---------------------------------------------------------------- in a child */

static bool is_inherited(const struct syc_hand_over *h)
{
	return phase_of(h) == SENT && h->pid_ns != 0 &&
	       h->pid_ns == syc_pid_namespace_id();
}

/* Perhaps half-way made, when the parent forked. */
static void begin_anew(struct syc_hand_over *h)
{
	h->lock = 0;
	h->is_told = false;
	syc_connection_drop(&h->connection);
	set_phase(h, NONE);
	syc_arena_memfd_close(&h->file);
	syc_arena_forget(&h->arena);
}

void syc_hand_over_begin_child(void)
{
	struct syc_hand_over *const newest = find_newest();
	struct syc_hand_over **link = &syc_block->hand_over;
	struct syc_hand_over *oldest = newest, *h, *older;

	if (newest == NULL)
		return;
	newest->lock = 0;
	if (phase_of(newest) == IMPOSSIBLE)
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
