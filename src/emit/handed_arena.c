/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * handed_arena.c - arenas that the process makes for its recorder: memory,
 * sending and slots.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "copies/copies.h"
#include "emit/process.h"
#include "emit/recorder.h"
#include "os/env.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"
#include "ring/ring_file.h"

/* Linux 6.3 */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

/* Return whether the file is open.  The library or the program may have closed
 * the file. */
static bool is_file_open(const struct syc_control_socket *noted)
{
	return noted->fd > STDERR_FILENO && syc_control_is_same(noted);
}

static void close_file(struct syc_control_socket *noted)
{
	if (is_file_open(noted))
		syc_fd_close(noted->fd);
	noted->fd = 0;
}

static int make_memfd(void)
{
	const unsigned held = syc_fd_hold();
	int fd =
		(int)syscall(SYS_memfd_create, "syscap-rings",
	                     MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = (int)syscall(SYS_memfd_create, "syscap-rings",
		                  MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return syc_fd_keep(syc_fd_release(held, fd));
}

/* Store the arguments, with spaces between, for a recorder that reads /proc
 * only after the process has ended. */
static void note_command(char *to, size_t size)
{
	const size_t n = syc_small_file_read("/proc/self/cmdline", to, size);

	for (size_t i = 0; i + 1 < n; i++)
		if (to[i] == '\0')
			to[i] = ' ';
}

static void fill_facts(const struct syc_arena *arena, int32_t pid,
                       int64_t began)
{
	struct syc_ring_file *const facts =
		(struct syc_ring_file *)(void *)arena->base;

	facts->version = SYC_RING_FILE_VERSION;
	facts->front = syc_ring_file_front(arena->page);
	facts->page_size = arena->page;
	facts->body_size = arena->body;
	facts->n_slots = arena->n_slots;
	facts->pid = pid;
	facts->began = began;
	facts->realtime_ahead =
		syc_kernel_clock(CLOCK_REALTIME) - syc_clock_kernel();
	/* The first page has the command, so that no other page is needed */
	note_command(facts->capture,
	             arena->page - offsetof(struct syc_ring_file, capture));
	memcpy(facts->magic, SYC_ARENA_FILE_MAGIC, sizeof(facts->magic));
}

static int fill_file(struct syc_arena *arena, int fd, int32_t pid,
                     int64_t began)
{
	const int r =
		syc_arena_create_for_other(arena, fd, syc_block->arena_body);

	if (r != 0)
		return r;
	/* Requested rings are better than an arena of smaller rings */
	if (arena->body == syc_block->arena_body) {
		fill_facts(arena, pid, began);
		if (syscall(SYS_fcntl, fd, F_ADD_SEALS,
		            F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
			return 0;
	}
	syc_arena_destroy(arena);
	return -ENOTSUP;
}

/*
 * Make @arena with rings of the requested size, for @pid, whose first arena
 * dates from @began.  The file is sealed, and its facts have the command line.
 * The fd is in *@noted before its first use, because another thread may fork a
 * child at any time.  Returns 0; or -errno, with *@noted closed.
 */
static int make_file(struct syc_arena *arena, int32_t pid, int64_t began,
                     struct syc_control_socket *noted)
{
	const int fd = make_memfd();
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0) {
		syc_fd_close(fd);
		return -ENOTSUP;
	}
	noted->dev = st.st_dev;
	noted->ino = st.st_ino;
	noted->fd = fd;
	const int r = fill_file(arena, fd, pid, began);
	if (r != 0)
		close_file(noted);
	return r;
}

#define MS INT64_C(1000000)

/* Time between two attempts to send an arena. */
#define RETRY_MIN_NS (10 * MS)
#define RETRY_MAX_NS (1000 * MS)

/* Send a message over the inherited socket, or else to the recorder's name.
 * Returns 0; -EPIPE or -ESTALE: the recorder has ended; or another -errno. */
static int send_message(struct syc_handed_arena *h, const char *message, int fd)
{
	int r = -ESTALE;

	if (syc_block->control.peer_is_syscap)
		r = syc_control_send_message(&syc_block->control, message, fd);
	if (r == 0 || syc_block->recorder->sun_family == 0)
		return r;
	const int by_name = syc_connection_send(&h->connection, message, fd);
	/* A full socket is only temporary */
	if (by_name == 0 || (r != -EPIPE && r != -ESTALE))
		return by_name == 0 ? 0 : r;
	/* ECONNREFUSED: no process listens.  A missing name is final
	 * only if the recorder has closed the socket, too */
	return by_name == -ECONNREFUSED || r == -EPIPE ? -EPIPE : by_name;
}

/* Return whether the error @r of sending is permanent: a filter or a policy
 * forbids the call, or the recorder is unreachable. */
static bool is_send_hopeless(int r)
{
	return r == -EPERM || r == -EACCES || r == -ENOSYS || r == -ENOENT;
}

static void give_up_arena(struct syc_handed_arena *h)
{
	close_file(&h->file);
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
	/* The next event of any thread tries again */
	syc_copies_set_look_due(1);
}

/* Announce an arena to the recorder, because the process may be killed before
 * it can send the arena.  A limit on fds in flight refuses only messages with
 * an fd. */
static void announce_arena(struct syc_handed_arena *h)
{
	if (!h->is_told && send_message(h, SYC_CONTROL_HAVE, -1) == 0)
		h->is_told = true;
}

/*
 * Send the arena, or set the time of the next attempt.  @is_last: this attempt
 * is the last.  If the program has closed the file, or the last attempt fails,
 * report to the recorder that the arena is lost.  Returns 0 or -errno of
 * sending.  The caller holds the lock.
 */
static int send_arena(struct syc_handed_arena *h, bool is_last)
{
	const bool is_there = is_file_open(&h->file);
	const int r = is_there ? send_message(h,
	                                      h->is_told ? SYC_CONTROL_GAVE
	                                                 : SYC_CONTROL_TAKE,
	                                      h->file.fd)
	                       : -EBADF;

	if (r == 0) {
		syc_handed_arena_set_phase(h, SYC_HANDED_SENT);
		close_file(&h->file);
	} else if (r == -EPIPE || r == -ESTALE) {
		give_up_arena(h);
		syc_process_turn_off(
			r == -EPIPE
				? "the recorder has ended"
				: "SYSPROF_CONTROL_FD was closed or reused");
	} else if ((is_last || !is_there) &&
	           (h->is_told || send_message(h, SYC_CONTROL_LOST, -1) == 0)) {
		give_up_arena(h);
	} else {
		/* If sending is hopeless, the process requests rings */
		if (!is_send_hopeless(r))
			announce_arena(h);
		try_later(h);
	}
	return r;
}

/* Returns 0 if the arena is no longer unsent. */
static int try_if_unsent(struct syc_handed_arena *h, bool is_last)
{
	int r = -EBUSY;

	if (syc_tid_lock_try(&h->lock) == 0) {
		if (syc_handed_arena_phase(h) == SYC_HANDED_UNSENT)
			r = send_arena(h, is_last);
		syc_tid_lock_give(&h->lock);
	}
	return syc_handed_arena_phase(h) != SYC_HANDED_UNSENT ? 0 : r;
}

/* Try repeatedly at the exit, because no event follows, and the recorder may
 * make space soon. */
static void try_for_a_while(struct syc_handed_arena *h)
{
	const int64_t deadline =
		syc_clock_kernel() + SYC_CONTROL_TIMEOUT_MS * MS;
	int r = try_if_unsent(h, false);

	while (r != 0 && !is_send_hopeless(r) &&
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

/* Milliseconds that a thread waits for another thread to make an arena. */
#define PATIENCE SYC_CONTROL_TIMEOUT_MS
/* Greatest number of arenas of a process and its ancestors. */
#define ARENAS_MAX 16

static bool may_have_slots(const struct syc_handed_arena *h)
{
	const uint32_t phase = syc_handed_arena_phase(h);

	return phase == SYC_HANDED_UNSENT || phase == SYC_HANDED_SENT;
}

bool syc_handed_arena_is_requested(void)
{
	return syc_block->arena_body != 0 &&
	       ((syc_block->control.peer_is_syscap &&
	         syc_control_is_same(&syc_block->control)) ||
	        syc_ring_request_is_by_name());
}

/* Return whether the error @r may be temporary, like a lack of fds or
 * memory. */
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
	return make_file(&h->arena, h->pid, h->began, &h->file);
}

/* Make @h and send it.  The caller holds the lock of @h, or of the arena before
 * @h. */
static void make_and_send(struct syc_handed_arena *h)
{
	const int r = make_arena(h);

	if (r != 0) {
		if (!is_passing(r))
			syc_handed_arena_set_phase(h, SYC_HANDED_IMPOSSIBLE);
		syc_diag_say("rings can't be handed over to the recorder",
		             "each thread requests a ring");
		return;
	}
	h->unsent_since = syc_clock_kernel();
	if (is_send_hopeless(send_arena(h, false))) {
		/* Threads request rings instead, which may succeed without an
		 * fd, or later */
		close_file(&h->file);
		syc_arena_destroy(&h->arena);
		syc_handed_arena_set_phase(h, SYC_HANDED_IMPOSSIBLE);
		return;
	}
	/* Set the phase only now.  If the process is killed earlier, events
	 * that other threads publish in the arena would be lost */
	if (syc_handed_arena_phase(h) == SYC_HANDED_NONE) {
		syc_handed_arena_set_phase(h, SYC_HANDED_UNSENT);
		/* The next event of any thread tries again */
		syc_copies_set_look_due(1);
	}
}

static void make_first(struct syc_handed_arena *h)
{
	if (syc_handed_arena_phase(h) == SYC_HANDED_NONE)
		make_and_send(h);
}

/* Make another arena, because all slots of @h are taken. */
static void make_next(struct syc_handed_arena *h)
{
	struct syc_handed_arena *const next =
		syc_handed_arena_newest() == h
			? syc_lazy_map_get(&h->next, sizeof(*next))
			: NULL;

	if (next == NULL ||
	    syc_handed_arena_phase(next) == SYC_HANDED_IMPOSSIBLE)
		return;
	next->older = h;
	make_and_send(next);
	if (may_have_slots(next))
		__atomic_store_n(&syc_block->hand_over, next, __ATOMIC_RELEASE);
}

/* Call @make in one thread, while other threads wait until @is_done. */
static void make_locked(struct syc_handed_arena *h,
                        bool (*is_done)(const struct syc_handed_arena *h),
                        void (*make)(struct syc_handed_arena *h))
{
	for (int i = 0; !is_done(h) && i < PATIENCE; i++) {
		const uint32_t holder = syc_tid_lock_try(&h->lock);

		if (holder == 0) {
			/* A vfork() child would store its own pid */
			if (syc_process->pid == getpid())
				make(h);
			syc_tid_lock_give(&h->lock);
			break;
		}
		/* A filter may have killed the thread that made the memfd, so
		 * this thread does not try */
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
	return syc_handed_arena_newest() != h;
}

/* Claim a slot in the first arena with a free slot.  Returns -EMFILE if no
 * arena has a free slot. */
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

int syc_handed_arena_claim(int32_t pid, struct syc_slot *ret_slot)
{
	struct syc_handed_arena *h = syc_handed_arena_newest();
	unsigned n;
	int r;

	if (h == NULL || syc_handed_arena_phase(h) == SYC_HANDED_NONE) {
		if (!syc_handed_arena_is_requested())
			return -ENOENT;
		h = syc_lazy_map_get(&syc_block->hand_over, sizeof(*h));
		if (h == NULL)
			return -ENOMEM;
		make_locked(h, is_decided, make_first);
	}
	while (may_have_slots(h)) {
		r = claim_in_any(h, pid, ret_slot, &n);
		if (r != -EMFILE || n >= ARENAS_MAX ||
		    !syc_handed_arena_is_requested())
			return r;
		make_locked(h, has_newer, make_next);
		if (!has_newer(h))
			return r;
		h = syc_handed_arena_newest();
	}
	return -ENOENT;
}

/* ----------------------------------------------------------- in a child */

static bool is_inherited(const struct syc_handed_arena *h)
{
	return syc_handed_arena_phase(h) == SYC_HANDED_SENT && h->pid_ns != 0 &&
	       h->pid_ns == syc_pid_namespace_id();
}

/* Reset an arena, which may be incomplete because of the fork. */
static void begin_anew(struct syc_handed_arena *h)
{
	h->lock = 0;
	h->is_told = false;
	syc_connection_drop(&h->connection);
	syc_handed_arena_set_phase(h, SYC_HANDED_NONE);
	close_file(&h->file);
	syc_arena_forget(&h->arena);
}

void syc_handed_arena_begin_child(void)
{
	struct syc_handed_arena *const newest = syc_handed_arena_newest();
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
	/* Reuse the memory of the oldest arena */
	if (syc_block->hand_over == NULL)
		syc_block->hand_over = oldest;
	syc_block->hand_over->next = NULL;
}
