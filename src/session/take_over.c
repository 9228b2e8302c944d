/* SPDX-License-Identifier: BSD-2-Clause */
/* take_over.c - takeover of an inherited arena by its new drainer. */
#define _GNU_SOURCE
#include "session/take_over.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/fd.h"
#include "os/signals.h"

/* Read the positions from the rings' headers, once.  Later only our copies are
 * used.  Free slots continue at their last positions. */
static void take_positions(struct syc_session *s)
{
	const uint32_t size = s->arena.body;
	const uint32_t n = syc_session_slots(s);

	s->told = syc_arena_head(&s->arena)->told;
	for (uint32_t i = 0; i < n; i++) {
		struct syc_ring_header *const ring =
			syc_arena_ring(&s->arena, i);

		if (syc_arena_provide(ring, s->arena.page) != 0)
			continue;
		const uint32_t head =
			__atomic_load_n(&ring->head, __ATOMIC_RELAXED);
		if (head < size && head % 8 == 0)
			s->heads[i] = head;
	}
	const struct syc_ring_header *const own = syc_arena_ring(&s->arena, 0);
	const uint32_t tail = __atomic_load_n(&own->tail, __ATOMIC_ACQUIRE);
	s->own_tail = tail < size && tail % 8 == 0 ? tail : s->heads[0];
}

/* Map the facts and the journal, which a child does not inherit. */
static void *map_front(const struct syc_session *s, int fd)
{
	const size_t size = syc_ring_file_head(s->arena.page);
	void *const front =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (front == MAP_FAILED)
		return NULL;
	madvise(front, size, MADV_DONTFORK);
	return front;
}

static bool is_settled(const struct syc_session *s, const void *front)
{
	const struct syc_ring_journal *const journal =
		(const void *)((const char *)front +
	                       syc_ring_file_journal(s->arena.page));

	return __atomic_load_n(&journal->state, __ATOMIC_ACQUIRE) ==
	       SYC_JOURNAL_NOTHING;
}

/* Open the ring file, which is mapped here, if the path still leads to it, and
 * no process recovers from it.  The lock prevents a recovery until this process
 * owns the rings.  Returns 0 or -errno. */
static int open_rings(struct syc_output *output)
{
	output->ring_fd = syc_fd_keep(
		syc_fd_open(output->ring_path, O_RDWR | O_NOFOLLOW, 0));
	if (output->ring_fd < 0)
		return -errno;
	if (!syc_fd_is_file(output->ring_fd, output->ring_dev,
	                    output->ring_ino)) {
		syc_fd_close(output->ring_fd);
		output->ring_fd = -1;
		return -EBUSY;
	}
	/* The lock of the file's maker stays, because our mapping refers to the
	 * same open file */
	return syscall(SYS_flock, output->ring_fd, LOCK_EX | LOCK_NB) == 0
	               ? 0
	               : -EBUSY;
}

static int take_output(struct syc_session *s)
{
	struct syc_output *const output = &s->output;
	void *front = NULL;
	int r = open_rings(output);

	if (r == 0) {
		front = map_front(s, output->ring_fd);
		r = front == NULL          ? -errno
		    : is_settled(s, front) ? 0
		                           : -EUCLEAN;
	}
	if (r == 0)
		r = syc_output_create(output, s->plan->output, s->pid);
	/* First the facts, with the owner of the rings last; then the file */
	if (r == 0)
		r = syc_output_begin(output, front, &s->arena, s->pid,
		                     s->began);
	if (r != 0)
		goto fail;
	s->written = output->end;
	s->is_introduced = true;
	return 0;
fail:
	if (front != NULL)
		munmap(front, syc_ring_file_head(s->arena.page));
	if (output->fd >= 0 && output->end == 0)
		unlink(output->path);
	syc_output_close(output, false);
	return r;
}

int syc_take_over_drain(struct syc_session *s)
{
	struct syc_write_nosignal quiet;
	int r;

	syc_write_nosignal_begin(&quiet);
	if (s->plan->to.sink == SYC_SINK_OUTPUT)
		r = take_output(s);
	else
		r = syc_trace_open(&s->trace, &s->plan->trace);
	syc_write_nosignal_end(&quiet);
	if (r == 0)
		take_positions(s);
	return r;
}
