/* SPDX-License-Identifier: BSD-2-Clause */
/* rings.c - all rings of a recording. */
#define _GNU_SOURCE
#include "record/rings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/now.h"
#include "record/orphans.h"
#include "record/thread_name.h"

/*
 * Clients ask for a ring and use it at once.  Who collects more than this
 * many without writing to them gets no more, so that others still do.
 */
#define UNUSED_MAX 512u

/* How many threads' names are looked at in one pass: each is a file. */
#define NAMES_PER_PASS 32u

int syc_rings_init(struct syc_rings *rings, struct syc_intake *intake,
                   uint32_t body, unsigned max)
{
	*rings = (struct syc_rings){
		.intake = intake,
		.body = body,
		.max = max,
		.buffer = malloc(SYC_DRAIN_BUFFER),
	};
	return rings->buffer == NULL ? -ENOMEM : 0;
}

void syc_rings_free(struct syc_rings *rings)
{
	for (size_t i = 0; i < rings->live.n; i++)
		syc_ring_destroy(rings->live.items[i]);
	free(rings->live.items);
	free(rings->buffer);
	memset(rings, 0, sizeof(*rings));
}

static bool hoards_rings(const struct syc_rings *rings, int32_t pid)
{
	unsigned unused = 0;

	for (size_t i = 0; i < rings->live.n; i++)
		if (!rings->live.items[i]->used &&
		    rings->live.items[i]->requester == pid)
			unused++;
	return unused >= UNUSED_MAX;
}

static void say_limit(struct syc_rings *rings, int32_t pid, const char *why)
{
	if (!rings->limit_said)
		syc_report_say(rings->intake->report,
		               "no ring for process %d: %s", pid, why);
	rings->limit_said = true;
}

/* Nobody else will tell what the thread emits from here on. */
static int refuse_ring(struct syc_rings *rings, int32_t pid, const char *why,
                       int r)
{
	say_limit(rings, pid, why);
	rings->refused++;
	return r;
}

int syc_rings_create(struct syc_rings *rings, int32_t pid, bool may_retry)
{
	struct syc_ring *ring;
	int fd, r;

	if (hoards_rings(rings, pid)) {
		say_limit(rings, pid, "it has 512 that it does not use");
		return -EAGAIN;
	}
	if (rings->live.n >= rings->max) {
		return refuse_ring(rings, pid,
		                   "too many threads record at once", -EUSERS);
	}
	if (syc_array_room(&rings->live) < 0)
		return refuse_ring(rings, pid, strerror(ENOMEM), -ENOMEM);
	r = syc_ring_create(rings->body, &ring, &fd);
	if (r == -EMFILE && may_retry)
		return r;
	if (r != 0)
		return refuse_ring(rings, pid, strerror(-r), r);
	/* Its PROCESS frame is in the file before the process can go on. */
	if (pid > 0)
		syc_processes_request(rings->intake->processes, pid);
	ring->requester = pid;
	ring->image = syc_processes_image(rings->intake->processes, pid);
	rings->live.items[rings->live.n++] = ring;
	return fd;
}

static void end_ring(struct syc_rings *rings, size_t i)
{
	syc_thread_name_look_last(rings->intake, rings->live.items[i]);
	syc_intake_end(rings->intake, rings->live.items[i]);
	syc_ring_destroy(rings->live.items[i]);
	rings->live.items[i] = rings->live.items[--rings->live.n];
}

/* Returns false where the ring is over. */
static bool drain_one(struct syc_rings *rings, struct syc_ring *ring,
                      struct syc_rings_pass *pass)
{
	const struct syc_drain_sink sink = { .frame = syc_intake_frame,
		                             .context = rings->intake };
	uint32_t bytes;

	switch (syc_drain(ring, rings->buffer, &sink, &bytes)) {
	case SYC_DRAIN_EMPTY:
		return true;
	case SYC_DRAIN_SOME:
		pass->any = true;
		if (bytes > ring->size / 4)
			pass->busy = true;
		return true;
	default:
		pass->any = true;
		return false;
	}
}

/* New ones at once, the others in turns. */
static void look_for_names(struct syc_rings *rings)
{
	const int64_t now = syc_now();
	const size_t n = rings->live.n;

	for (size_t i = 0; i < n; i++)
		if (rings->live.items[i]->name_looked == 0)
			syc_thread_name_look(rings->intake,
			                     rings->live.items[i], now);
	for (size_t i = 0; i < n && i < NAMES_PER_PASS; i++)
		syc_thread_name_look(rings->intake,
		                     rings->live.items[rings->next_named++ % n],
		                     now);
}

void syc_rings_drain(struct syc_rings *rings, struct syc_rings_pass *ret_pass)
{
	*ret_pass = (struct syc_rings_pass){ 0 };
	for (size_t i = 0; i < rings->live.n;) {
		if (drain_one(rings, rings->live.items[i], ret_pass))
			i++;
		else
			end_ring(rings, i);
	}
	look_for_names(rings);
}

void syc_rings_end_orphans(struct syc_rings *rings, bool all_fetched)
{
	struct syc_rings_pass pass;

	if (syc_orphans_mark(rings->live.items, rings->live.n,
	                     rings->intake->processes) == 0)
		return;
	for (size_t i = 0; i < rings->live.n;) {
		struct syc_ring *ring = rings->live.items[i];
		/*
		 * Twice: who forks and exits may slip through one look, and
		 * a ring that was just fetched may be about to be mapped.
		 */
		const bool orphan =
			ring->unmapped_for > 1 && (ring->used || all_fetched);

		if (orphan) {
			drain_one(rings, ring, &pass);
			end_ring(rings, i);
		} else {
			i++;
		}
	}
}

void syc_rings_end_all(struct syc_rings *rings)
{
	while (rings->live.n > 0)
		end_ring(rings, rings->live.n - 1);
}
