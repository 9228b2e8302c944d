/* SPDX-License-Identifier: BSD-2-Clause */
/* take_over.c - a process becomes the drainer of the arena that it inherited. */
#define _GNU_SOURCE
#include "selfrec/take_over.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os/quiet.h"
#include "selfrec/origin.h"

/* The first of those that are free to the end, whatever the head says of it. */
static uint32_t find_end_of_slots(const struct syc_session *s)
{
	uint32_t n = s->arena.n_slots;

	while (n > 1 && __atomic_load_n(syc_arena_word(&s->arena, n - 1),
	                                __ATOMIC_ACQUIRE) == SYC_SLOT_FREE)
		n--;
	return n > syc_arena_used(&s->arena) ? n : syc_arena_used(&s->arena);
}

/* What the headers say, once: from here on it is ours.  Slots that are free now
 * go on where they were left. */
static void take_positions(struct syc_session *s)
{
	const uint32_t size = s->arena.body;
	const uint32_t n = find_end_of_slots(s);

	s->told = syc_arena_head(&s->arena)->told;
	if (syc_arena_open(&s->arena, n) == 0)
		__atomic_store_n(&s->n_used, n, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < s->n_used; i++) {
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

/* Facts and journal, which a child does not inherit. */
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

	return memcmp(front, SYC_RING_FILE_MAGIC, 8) == 0 &&
	       __atomic_load_n(&journal->state, __ATOMIC_ACQUIRE) ==
	               SYC_JOURNAL_NOTHING;
}

static int take_output(struct syc_session *s, const struct syc_origin *origin)
{
	const struct syc_ring_file geometry = {
		.page_size = s->arena.page,
		.body_size = s->arena.body,
		.n_slots = s->arena.n_slots,
	};
	struct syc_output *const output = &s->output;
	void *front = NULL;
	int r = syc_output_adopt_rings(output, origin->rings, origin->ring_dev,
	                               origin->ring_ino);

	if (r != 0)
		return r;
	output->is_on_disk = origin->is_on_disk;
	const int ring_fd = output->ring_fd;
	front = map_front(s, ring_fd);
	if (front == NULL || !is_settled(s, front)) {
		r = front == NULL ? -errno : -EUCLEAN;
		goto fail;
	}
	r = syc_output_create(output, s->plan->output, s->pid);
	output->ring_fd = ring_fd;
	if (r != 0)
		goto fail;
	/* First the facts, last of them whose the rings are; then the file */
	r = syc_output_begin(output, front, &geometry, s->pid, s->began);
	if (r != 0)
		goto fail;
	syc_output_share_rings(output);
	s->written = output->end;
	s->is_introduced = true;
	s->rings_fd = ring_fd;
	s->rings_dev = origin->ring_dev;
	s->rings_ino = origin->ring_ino;
	return 0;
fail:
	if (front != NULL)
		munmap(front, syc_ring_file_head(s->arena.page));
	if (output->fd >= 0 && output->end == 0)
		unlink(output->path);
	syc_output_close(output, false);
	return r;
}

int syc_take_over_drain(struct syc_session *s, const struct syc_origin *origin)
{
	struct syc_quiet quiet;
	int r;

	if (!syc_session_map_copy(s))
		return -ENOMEM;
	syc_quiet_begin(&quiet);
	if (s->plan->to.sink == SYC_SINK_OUTPUT)
		r = take_output(s, origin);
	else
		r = syc_trace_open(&s->trace, &s->plan->trace);
	syc_quiet_end(&quiet);
	if (r == 0)
		take_positions(s);
	else
		munmap(s->copy, SYC_COPY_SIZE);
	return r;
}
