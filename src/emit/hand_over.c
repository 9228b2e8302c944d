/* SPDX-License-Identifier: BSD-2-Clause */
/* hand_over.c - the arena that a process makes for its recorder. */
#define _GNU_SOURCE
#include "emit/hand_over.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

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

/* Linux 6.3 */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

#define MS INT64_C(1000000)

/* Between two attempts to send it. */
#define RETRY_MIN_NS (10 * MS)
#define RETRY_MAX_NS (1000 * MS)
/* How many ms a thread waits for another that is making it. */
#define PATIENCE SYC_CONTROL_TIMEOUT_MS

/* What has become of it.  By who has the lock, release. */
enum {
	NONE,
	UNSENT, /* could not be; slots may be claimed all the same */
	SENT,
	LOST, /* will never be sent: threads ask for rings from now on */
	IMPOSSIBLE
};

/** In memory that a child inherits.  syc_block leads there. */
struct syc_hand_over {
	uint32_t lock; /* of who makes it or sends it: os/tid_lock.h */
	uint32_t phase;
	int32_t pid;     /* who has made it */
	uint64_t pid_ns; /* where that means something; 0: not known */
	struct syc_arena arena;
	/* Until it is sent; fd 0: not any more */
	struct syc_control_socket file;
	struct syc_control_socket connection; /* emit/connection.h */
	int64_t unsent_since, try_at;         /* ns */
};

static struct syc_hand_over *find_arena(void)
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

static bool has_file(const struct syc_hand_over *h)
{
	return h->file.fd > STDERR_FILENO && syc_control_is_same(&h->file);
}

static void close_file(struct syc_hand_over *h)
{
	if (has_file(h))
		close(h->file.fd);
	h->file.fd = 0;
}

/* ------------------------------------------------------------------ making */

static int make_memfd(void)
{
	int fd =
		(int)syscall(SYS_memfd_create, "syscap-rings",
	                     MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = (int)syscall(SYS_memfd_create, "syscap-rings",
		                  MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return syc_control_move_up(fd);
}

/* What the recorder can't find in /proc any more where we have ended before it
 * looks: arguments with spaces between. */
static void note_command(char *to, size_t size)
{
	const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd >= 0 ? read(fd, to, size - 1) : 0;

	if (fd >= 0)
		close(fd);
	for (ssize_t i = 0; i + 1 < n; i++)
		if (to[i] == '\0')
			to[i] = ' ';
}

static void fill_facts(const struct syc_arena *arena, int32_t pid)
{
	struct syc_ring_file *const facts =
		(struct syc_ring_file *)(void *)arena->base;

	facts->version = SYC_RING_FILE_VERSION;
	facts->front = syc_ring_file_front(arena->page);
	facts->page_size = arena->page;
	facts->body_size = arena->body;
	facts->n_slots = arena->n_slots;
	facts->pid = pid;
	facts->began = syc_clock_kernel();
	/* Of the first page: no other is needed */
	note_command(facts->capture,
	             arena->page - offsetof(struct syc_ring_file, capture));
	memcpy(facts->magic, SYC_ARENA_FILE_MAGIC, sizeof(facts->magic));
}

static int fill_file(struct syc_hand_over *h, int fd)
{
	const int r = syc_arena_create_for_other(&h->arena, fd,
	                                         syc_block->arena_body);

	if (r != 0)
		return r;
	/* Smaller ones than were wanted can be asked for as they are wanted */
	if (h->arena.body == syc_block->arena_body) {
		fill_facts(&h->arena, h->pid);
		if (syscall(SYS_fcntl, fd, F_ADD_SEALS,
		            F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
			return 0;
	}
	syc_arena_destroy(&h->arena);
	return -ENOTSUP;
}

/* Noted before it is of use to anybody: a child may be forked meanwhile. */
static int make_arena(struct syc_hand_over *h)
{
	const int fd = make_memfd();
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0) {
		close(fd);
		return -ENOTSUP;
	}
	h->file.dev = st.st_dev;
	h->file.ino = st.st_ino;
	h->file.fd = fd;
	h->pid = syc_process->pid;
	h->pid_ns = syc_pid_namespace_id();
	const int r = fill_file(h, fd);
	if (r != 0)
		close_file(h);
	return r;
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
	close_file(h);
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

/* By who has the lock.  The program may have closed the file: then the recorder
 * can be told that, and nothing else; and at the last attempt.  Returns what
 * sending it gave. */
static int try_to_send(struct syc_hand_over *h, bool is_last)
{
	const bool is_there = has_file(h);
	const int r = is_there ? send_message(h, SYC_CONTROL_TAKE, h->file.fd)
	                       : -EBADF;

	if (r == 0) {
		set_phase(h, SENT);
		close_file(h);
	} else if (r == -EPIPE || r == -ESTALE) {
		give_up_arena(h);
		syc_process_turn_off(
			r == -EPIPE
				? "the recorder is gone"
				: "SYSPROF_CONTROL_FD was closed or reused");
	} else if ((is_last || !is_there) &&
	           send_message(h, SYC_CONTROL_LOST, -1) == 0) {
		give_up_arena(h);
	} else {
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

void syc_hand_over_retry(bool at_exit)
{
	struct syc_hand_over *const h = find_arena();
	struct syc_undisturbed before;

	if (h == NULL || phase_of(h) != UNSENT)
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

/* ---------------------------------------------------------------- together */

static bool is_wanted(void)
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

/* By who has the lock. */
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
		close_file(h);
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

const struct syc_arena *syc_hand_over_arena(void)
{
	struct syc_hand_over *h = find_arena();

	if (h == NULL || phase_of(h) == NONE) {
		if (!is_wanted())
			return NULL;
		h = syc_backing_get(&syc_block->hand_over, sizeof(*h));
	}
	for (int i = 0; h != NULL && phase_of(h) == NONE && i < PATIENCE; i++) {
		const uint32_t holder = syc_tid_lock_try(&h->lock);

		if (holder == 0) {
			/* A vfork() child would make one of its own number */
			if (phase_of(h) == NONE && syc_process->pid == getpid())
				make_and_send(h);
			syc_tid_lock_give(&h->lock);
			break;
		}
		/* A filter may kill who makes a memfd; one is enough */
		if (syc_tid_is_gone((int32_t)holder))
			break;
		poll(NULL, 0, 1);
	}
	return h != NULL && (phase_of(h) == UNSENT || phase_of(h) == SENT)
	               ? &h->arena
	               : NULL;
}

struct syc_arena_head *syc_hand_over_head(void)
{
	const struct syc_hand_over *const h = find_arena();
	const uint32_t phase = h != NULL ? phase_of(h) : NONE;

	/* A child that has not begun has nothing to do with what is unsent */
	return phase == SENT || (phase == UNSENT && h->pid == syc_process->pid)
	               ? syc_arena_head(&h->arena)
	               : NULL;
}

bool syc_hand_over_is_closed(void)
{
	const struct syc_hand_over *const h = find_arena();

	return h != NULL && phase_of(h) == SENT &&
	       syc_slot_state(
		       __atomic_load_n(&syc_arena_head(&h->arena)->drainer,
	                               __ATOMIC_SEQ_CST)) == SYC_ARENA_CLOSED;
}

void syc_hand_over_begin_child(void)
{
	struct syc_hand_over *const h = find_arena();

	if (h == NULL)
		return;
	h->lock = 0;
	syc_connection_drop(&h->connection);
	if (phase_of(h) == IMPOSSIBLE ||
	    (phase_of(h) == SENT && h->pid_ns != 0 &&
	     h->pid_ns == syc_pid_namespace_id()))
		return;
	set_phase(h, NONE);
	close_file(h);
	syc_arena_forget(&h->arena);
}
