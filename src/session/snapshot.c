/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * snapshot.c - a new capture of the events that this process keeps in flight
 * mode.
 *
 * A linker takes this file if the program calls syscap_snapshot().  `syscap
 * snapshot` does the same from outside.  Both copy rings by ring/ring_file.h.
 * The copies are read from the ring file, not from its mapping, because memory
 * that another thread releases can't be read.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/loss.h"
#include "emit/process.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/signals.h"
#include "ring/clock.h"
#include "session/session.h"
#include "session/sink.h"
#include "session/spill.h"

/* Longest wait for another thread that writes to the output. */
#define WAIT_NS INT64_C(250000000)

struct snapshot {
	struct syc_session *session;
	int rings; /* fd of the ring file */
	uint64_t size;
	struct syc_output output;
	struct syc_output_target target;
	_Alignas(8) unsigned char loss[SYC_LOSS_RECORD_MAX];
	_Alignas(8) unsigned char bytes[]; /* a ring, and its definitions */
};

static int append(struct snapshot *to, const void *bytes, uint64_t n)
{
	const struct syc_output *const output = &to->output;
	uint64_t done;

	/* The program may have closed the fd, and reused its number */
	if (!syc_fd_is_file(output->fd, output->dev, output->ino))
		return -ESTALE;
	const int r = syc_write_at(output->fd, bytes, n, to->size, &done);
	to->size += done;
	return r;
}

/* ------------------------------------------------------------ the output */

/* Frames of the recording's output: the process, and mappings of its files. */
static int append_part(struct snapshot *to, int output, uint64_t from,
                       uint64_t end)
{
	int r = 0;

	while (r == 0 && from < end) {
		const uint64_t left = end - from;
		const uint32_t body = to->session->arena.body;
		const ssize_t n = syc_fd_pread(
			output, to->bytes, left < body ? (size_t)left : body,
			(off_t)from);

		if (n <= 0)
			return -EIO;
		r = append(to, to->bytes, (uint64_t)n);
		from += (uint64_t)n;
	}
	return r;
}

/* Append the frames of @output, but not its third part, which names the ring
 * file: header, PROCESS, METADATA. */
static int append_output(struct snapshot *to, int output)
{
	uint64_t at[2] = { sizeof(struct syscap_wire_file) };
	uint16_t len;

	for (int i = 0; i < 2; i++) {
		if (syc_fd_pread(output, &len, sizeof(len), (off_t)at[i]) !=
		    sizeof(len))
			return -EIO;
		at[1] = at[i] + len;
		if (i == 0)
			at[0] = at[1];
	}
	const uint64_t end =
		__atomic_load_n(&to->session->written, __ATOMIC_ACQUIRE);
	const int r = append_part(to, output, 0, at[0]);
	return r == 0 ? append_part(to, output, at[1], end) : r;
}

/* The close of a second fd of the output would end the lock that shows the
 * output's writer.  So the second fd exists only if the program has closed the
 * first fd, and the lock with it. */
static int append_begin(struct snapshot *to)
{
	const struct syc_output *const output = &to->session->output;
	const int own = output->fd;
	int fd = own, r = -ESTALE;

	if (!syc_fd_is_file(own, output->dev, output->ino))
		fd = syc_fd_keep(
			syc_fd_open(output->path, O_RDONLY | O_NOFOLLOW, 0));
	if (syc_fd_is_file(fd, output->dev, output->ino))
		r = append_output(to, fd);
	if (fd != own)
		syc_fd_close(fd);
	return r;
}

/* ------------------------------------------------------------- the rings */

static bool read_rings(const void *file, void *to, size_t size, uint64_t offset)
{
	const struct snapshot *const snapshot = file;

	return syc_fd_pread(snapshot->rings, to, size, (off_t)offset) ==
	       (ssize_t)size;
}

static int append_losses(struct snapshot *to,
                         const struct syc_ring_losses *lost_now,
                         const struct syc_ring_losses *told_now, int32_t tid)
{
	struct syc_ring_losses lost, told;

	/* Reported losses first, so that they never exceed all losses */
	syc_rings_load_losses(&told, told_now);
	syc_rings_load_losses(&lost, lost_now);
	return append(to, to->loss,
	              syc_loss_compose(to->loss, &lost, &told, to->session->pid,
	                               tid));
}

/* Append a thread's definitions, events and losses.  *@ret_lost becomes the
 * error of a ring that could not be copied. */
static int append_ring(struct snapshot *to, uint32_t slot, int *ret_lost)
{
	const struct syc_arena *const arena = &to->session->arena;
	const struct syc_ring_header *const header =
		syc_arena_ring(arena, slot);
	const uint32_t state =
		syc_slot_state(syc_rings_word(to->session, slot));
	struct syc_moving_ring ring = { .read = read_rings,
		                        .file = to,
		                        .page = arena->page,
		                        .size = arena->body,
		                        .slot = slot };
	uint32_t n, n_kept, kept;

	/* A slot may have no memory, if no space was left for its ring */
	if (!syc_moving_read_header(
		    &ring, &kept, sizeof(kept),
		    offsetof(struct syc_ring_header, kept_slot))) {
		*ret_lost = -EIO;
		return 0;
	}
	if (kept == 0 || kept >= arena->n_slots)
		return 0;
	int lost = syc_moving_load(&ring, to->bytes, &n);
	if (lost != 0)
		*ret_lost = lost;
	/* The thread moves definitions out of its ring meanwhile */
	ring.slot = kept;
	lost = syc_moving_load(&ring, to->bytes + arena->body, &n_kept);
	if (lost != 0)
		*ret_lost = lost;
	int r = append(to, to->bytes + arena->body, n_kept);
	if (r == 0)
		r = append(to, to->bytes, n);
	if (r == 0 && state >= SYC_SLOT_LIVE)
		r = append_losses(to, &header->lost, &header->told,
		                  header->tid);
	return r;
}

static int append_rings(struct snapshot *to, int *ret_lost)
{
	struct syc_session *const s = to->session;
	const struct syc_arena_head *const head = syc_arena_head(&s->arena);
	const uint32_t n = syc_session_slots(s);
	int r = 0;

	for (uint32_t i = 1; r == 0 && i < n; i++)
		r = append_ring(to, i, ret_lost);
	return r == 0 ? append_losses(to, &head->lost, &head->told, 0) : r;
}

/* ---------------------------------------------------------- the new file */

static int set_end_time(const struct snapshot *to)
{
	const int64_t now = syc_clock_kernel();
	uint64_t done;

	return syc_write_at(to->output.fd, &now, sizeof(now),
	                    offsetof(struct syscap_wire_file, end_time), &done);
}

static int fill(struct snapshot *to)
{
	int lost = 0;
	int r = append_begin(to);

	if (r == 0)
		r = append_rings(to, &lost);
	/* The program may have closed the fd of the rings */
	if (r == 0 && lost != -EAGAIN)
		r = lost;
	if (r == 0)
		r = set_end_time(to);
	if (r != 0)
		unlink(to->output.path);
	return r != 0 ? r : lost;
}

static int write_snapshot(struct snapshot *to, const char *path)
{
	struct syc_write_nosignal quiet;
	int r = syc_output_choose(&to->target, path, NULL,
	                          to->session->plan->output->program);

	if (r != 0)
		return r;
	to->rings = syc_session_open_rings(to->session);
	if (to->rings < 0)
		return to->rings;
	r = syc_output_create(&to->output, &to->target, to->session->pid);
	if (r == 0) {
		syc_write_nosignal_begin(&quiet);
		r = fill(to);
		syc_write_nosignal_end(&quiet);
		syc_output_close(&to->output, false);
	} else if (to->output.fd >= 0) {
		unlink(to->output.path); /* the program has closed the fd */
	}
	syc_fd_close(to->rings);
	return r;
}

static int take_snapshot(struct syc_session *s, const char *path)
{
	const size_t size = sizeof(struct snapshot) + 2 * (size_t)s->arena.body;
	int r = syc_spill_frames(s, NULL, 0, syc_clock_kernel() + WAIT_NS);

	if (r == -EPERM)
		return r;
	struct snapshot *const to =
		mmap(NULL, size, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (to == MAP_FAILED)
		return -ENOMEM;
	to->session = s;
	to->output.ring_fd = -1;
	r = write_snapshot(to, path);
	munmap(to, size);
	return r;
}

int syscap_snapshot(const char *path)
{
	const int saved = errno;
	struct syc_undisturbed before;
	int r = -ENODATA;

	syc_setup_join();
	if (syc_process_is_there()) {
		syc_undisturbed_begin(&before);
		struct syc_session *const s = syc_session_look();
		if (s != NULL && s->plan->is_flight && s->pid == getpid())
			r = take_snapshot(s, path);
		syc_session_leave();
		syc_undisturbed_end(&before);
	}
	errno = saved;
	return r;
}
