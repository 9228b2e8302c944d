/* SPDX-License-Identifier: BSD-2-Clause */
/* handed_arena.c - an arena on its way to the recorder. */
#define _GNU_SOURCE
#include "emit/handed_arena.h"

#include <errno.h>
#include <stddef.h>
#include <sys/un.h>

#include "copies/copies.h"
#include "emit/arena_memfd.h"
#include "emit/connection.h"
#include "emit/control.h"
#include "emit/process.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"

#define MS INT64_C(1000000)

/* Between two attempts to send it. */
#define RETRY_MIN_NS (10 * MS)
#define RETRY_MAX_NS (1000 * MS)

/* By the inherited socket, else by the recorder's name.  0; -EPIPE, -ESTALE:
 * nobody is there, nor will be; or -errno. */
static int send_message(struct syc_handed_arena *h, const char *message, int fd)
{
	int r = -ESTALE;

	if (syc_block->control.is_ours)
		r = syc_control_send_message(&syc_block->control, message, fd);
	if (r == 0 || syc_block->recorder->sun_family == 0)
		return r;
	const int by_name = syc_connection_send(&h->connection, message, fd);
	/* That the socket is full passes */
	if (by_name == 0 || (r != -EPIPE && r != -ESTALE))
		return by_name == 0 ? 0 : r;
	/* Nobody listens any more; that the name leads nowhere is final only if
	 * the recorder has closed the socket, too */
	return by_name == -ECONNREFUSED || r == -EPIPE ? -EPIPE : by_name;
}

bool syc_handed_arena_is_hopeless(int r)
{
	return r == -EPERM || r == -EACCES || r == -ENOSYS || r == -ENOENT;
}

static void give_up_arena(struct syc_handed_arena *h)
{
	syc_arena_memfd_close(&h->file);
	syc_handed_arena_set_phase(h, SYC_HANDED_LOST);
}

static void try_later(struct syc_handed_arena *h)
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

/* We may be killed before it can be sent: tell the recorder that there is one.
 * What keeps a descriptor from being sent (a limit on those that nobody has
 * received yet) does not keep words. */
static void tell_of_it(struct syc_handed_arena *h)
{
	if (!h->is_told && send_message(h, SYC_CONTROL_HAVE, -1) == 0)
		h->is_told = true;
}

/* Where the program has closed the file, or the last attempt fails, the
 * recorder is told that it is lost. */
int syc_handed_arena_send(struct syc_handed_arena *h, bool is_last)
{
	const bool is_there = syc_arena_memfd_is_there(&h->file);
	const int r = is_there ? send_message(h,
	                                      h->is_told ? SYC_CONTROL_GAVE
	                                                 : SYC_CONTROL_TAKE,
	                                      h->file.fd)
	                       : -EBADF;

	if (r == 0) {
		syc_handed_arena_set_phase(h, SYC_HANDED_SENT);
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
		/* A process that may never send one asks for rings instead */
		if (!syc_handed_arena_is_hopeless(r))
			tell_of_it(h);
		try_later(h);
	}
	return r;
}

/* 0: it is not unsent any more. */
static int try_if_unsent(struct syc_handed_arena *h, bool is_last)
{
	int r = -EBUSY;

	if (syc_tid_lock_try(&h->lock) == 0) {
		if (syc_handed_arena_phase(h) == SYC_HANDED_UNSENT)
			r = syc_handed_arena_send(h, is_last);
		syc_tid_lock_give(&h->lock);
	}
	return syc_handed_arena_phase(h) != SYC_HANDED_UNSENT ? 0 : r;
}

/* There is no later event: the recorder may be about to make room. */
static void try_for_a_while(struct syc_handed_arena *h)
{
	const int64_t deadline =
		syc_clock_kernel() + SYC_CONTROL_TIMEOUT_MS * MS;
	int r = try_if_unsent(h, false);

	while (r != 0 && !syc_handed_arena_is_hopeless(r) &&
	       syc_clock_kernel() < deadline) {
		syc_futex_nap();
		r = try_if_unsent(h, false);
	}
	if (r != 0)
		try_if_unsent(h, true);
}

void syc_handed_arena_try(struct syc_handed_arena *h, bool at_exit)
{
	if (at_exit)
		try_for_a_while(h);
	else
		try_if_unsent(h, false);
}
