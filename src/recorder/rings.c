/* SPDX-License-Identifier: BSD-2-Clause */
/* rings.c - all rings of a recording, and the names of their threads. */
#define _GNU_SOURCE
#include "recorder/rings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/now.h"
#include "common/strings.h"
#include "recorder/processes.h"

/*
 * Times between checks of a thread's name.  A thread gets its name at its
 * start, perhaps after its first event.  So the second check follows soon, and
 * later checks are rare.
 */
#define LOOK_SOON  INT64_C(25000000)
#define LOOK_AGAIN INT64_C(1000000000)

/*
 * Return whether the writer is the requester of the ring, and runs the same
 * program.  The pid and thread ids of such a writer are valid in the recorder's
 * /proc, and not reused yet.
 */
static bool is_in_our_proc(const struct syc_intake *intake,
                           const struct syc_ring *ring)
{
	return ring->pid == ring->requester &&
	       syc_processes_alive(intake->processes, ring->pid) &&
	       syc_processes_image(intake->processes, ring->pid) == ring->image;
}

/* Read the name.  Returns false if the kernel has no name. */
static bool read_kernel_name(const struct syc_ring *ring,
                             char name[SYC_RING_NAME])
{
	char file[32], text[SYC_RING_NAME + 1]; /* name and the newline */
	ssize_t n;

	snprintf(file, sizeof(file), "task/%d/comm", ring->tid);
	n = syc_text_file_read_proc(ring->pid, file, text, sizeof(text));
	if (n <= 0)
		return false;
	if (text[n - 1] == '\n')
		text[--n] = 0;
	memcpy(name, text, SYC_RING_NAME);
	name[SYC_RING_NAME - 1] = 0;
	return true;
}

/* Read the name in the ring by one copy of the shared memory, because the
 * writer may continue to write. */
static void read_ring_name(const struct syc_ring *ring,
                           char name[SYC_RING_NAME])
{
	memcpy(name, ring->shared->name, SYC_RING_NAME);
	name[SYC_RING_NAME - 1] = 0;
}

static void write_name(struct syc_intake *intake, struct syc_ring *ring,
                       const char name[SYC_RING_NAME])
{
	const int32_t pid = syc_intake_owner(intake, ring);

	if (name[0] == 0 || strcmp(name, ring->name) == 0)
		return;
	memcpy(ring->name, name, SYC_RING_NAME);
	syc_processes_know(intake->processes, pid, ring->requester);
	syc_compose_thread(&intake->frame, pid, ring->tid, syc_now(), name);
	syc_writer_add(intake->writer, &intake->frame);
}

static void look_at_name(struct syc_intake *intake, struct syc_ring *ring)
{
	char name[SYC_RING_NAME];

	/* After an exec, the kernel has the name of another program */
	if (is_in_our_proc(intake, ring) && read_kernel_name(ring, name) &&
	    syc_processes_runs_on(intake->processes, ring->pid)) {
		write_name(intake, ring, name);
	} else if (ring->name[0] == 0) {
		read_ring_name(ring, name);
		write_name(intake, ring, name);
	}
}

/* If a check is due, read the name, and write the name if it changed. */
static void look_at_thread(struct syc_intake *intake, struct syc_ring *ring,
                           int64_t now)
{
	if (!ring->has_client_block || !ring->used ||
	    (ring->name_looked != 0 &&
	     now - ring->name_looked < ring->name_pause))
		return;
	ring->name_pause =
		ring->name_looked == 0 ? LOOK_SOON : 2 * ring->name_pause;
	if (ring->name_pause > LOOK_AGAIN)
		ring->name_pause = LOOK_AGAIN;
	ring->name_looked = now;
	look_at_name(intake, ring);
}

/* Read the name even if no check is due, because the ring is about to end. */
static void look_at_thread_last(struct syc_intake *intake,
                                struct syc_ring *ring)
{
	syc_ring_look_for_client(ring);
	if (ring->has_client_block && ring->used)
		look_at_name(intake, ring);
}

/*
 * Greatest number of unused rings of a process.  A client uses a requested ring
 * immediately.  A process with more unused rings gets no more, so that other
 * processes still get rings.
 */
#define UNUSED_MAX 512u

/* Number of thread names read in one pass, because each name is a file. */
#define NAMES_PER_PASS 32u

/*
 * Number of checks of an orphan, because one check may miss a process that
 * forks and exits.  In addition, a process may be about to map a ring that it
 * fetched.
 */
#define LOOKS_AT_ORPHANS 2

/* Pause after examining a process with too many arenas. */
#define CROWDED_NS INT64_C(100000000)

int syc_rings_init(struct syc_rings *rings, struct syc_intake *intake,
                   uint32_t body, unsigned max)
{
	*rings = (struct syc_rings){
		.intake = intake,
		.body = body,
		.max = max,
		.arenas = { .processes = intake->processes,
		            .console = intake->console },
		.buffer = malloc(SYC_DRAIN_BUFFER),
	};
	return rings->buffer == NULL ? -ENOMEM : 0;
}

void syc_rings_free(struct syc_rings *rings)
{
	for (size_t i = 0; i < rings->live.n; i++)
		syc_ring_destroy(rings->live.items[i]);
	syc_arenas_free(&rings->arenas);
	free(rings->live.items);
	free(rings->suspects.items);
	free(rings->past.items);
	free(rings->buffer);
	memset(rings, 0, sizeof(*rings));
}

static bool hoards_rings(const struct syc_rings *rings, int32_t pid)
{
	unsigned unused = 0;

	for (size_t i = 0; i < rings->live.n; i++)
		if (!rings->live.items[i]->used &&
		    rings->live.items[i]->arena == NULL &&
		    rings->live.items[i]->requester == pid)
			unused++;
	return unused >= UNUSED_MAX;
}

static void say_limit(struct syc_rings *rings, int32_t pid, const char *why)
{
	if (!rings->limit_said)
		syc_console_print(rings->intake->console,
		                  "process %d gets no ring: %s", pid, why);
	rings->limit_said = true;
}

/*
 * Count and report the refusal, because no other record covers later events of
 * the thread.
 */
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
		say_limit(rings, pid, "the process has 512 unused rings");
		return -EAGAIN;
	}
	if (rings->live.n - rings->arenas.n_rings >= rings->max) {
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
	/* Write the PROCESS frame of @pid before the process can continue. */
	if (pid > 0)
		syc_processes_request(rings->intake->processes, pid);
	ring->requester = pid;
	ring->image = syc_processes_image(rings->intake->processes, pid);
	rings->live.items[rings->live.n++] = ring;
	return fd;
}

static void end_ring(struct syc_rings *rings, size_t i)
{
	struct syc_ring *const ring = rings->live.items[i];

	look_at_thread_last(rings->intake, ring);
	syc_intake_end(rings->intake, ring);
	rings->live.items[i] = rings->live.items[--rings->live.n];
	/*
	 * End a process that has ended or exec'ed, after a read of all of its
	 * slots.  In another namespace, the number of the process is unknown.
	 */
	if (ring->arena != NULL &&
	    (ring->owner == SYC_OWNER_GONE ||
	     ring->owner == SYC_OWNER_REPLACED) &&
	    ring->known_pid != 0 && ring->slot_pid != ring->arena->own_pid)
		(void)syc_array_push(
			&rings->past,
			((struct syc_rings_past){
				.pid = ring->shown_pid,
				.goes_on = ring->owner == SYC_OWNER_REPLACED &&
		                           ring->shown_pid == ring->slot_pid &&
		                           ring->arena->own_pid ==
		                                   ring->arena->requester }));
	if (ring->arena != NULL)
		syc_arenas_give_back(&rings->arenas, ring);
	else
		syc_ring_destroy(ring);
}

/* Drain @ring.  Returns false if the ring is over. */
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
		pass->brisk |= bytes >= ring->size / 16;
		pass->busy |= bytes > ring->size / 4;
		return true;
	default:
		pass->any = true;
		return false;
	}
}

/* Drain a slot, which is over only after its thread has left the slot. */
static bool drain_slot(struct syc_rings *rings, struct syc_ring *ring,
                       bool look, struct syc_rings_pass *pass)
{
	/* Check the owner first, so that all earlier frames are read below */
	const bool is_over = syc_arenas_is_over(&rings->arenas, ring, look);

	if (!ring->is_read)
		ring->is_read = !drain_one(rings, ring, pass);
	return ring->why == NULL && !is_over;
}

/* Read the names of new rings immediately, and of other rings in rotation. */
static void look_for_names(struct syc_rings *rings)
{
	const int64_t now = syc_now();
	const size_t n = rings->live.n;

	for (size_t i = 0; i < n; i++)
		if (rings->live.items[i]->name_looked == 0)
			look_at_thread(rings->intake, rings->live.items[i],
			               now);
	for (size_t i = 0; i < n && i < NAMES_PER_PASS; i++)
		look_at_thread(rings->intake,
		               rings->live.items[rings->next_named++ % n], now);
}

static bool begin_slot(void *context, struct syc_ring *ring)
{
	struct syc_rings *const rings = context;

	return syc_array_push(&rings->live, ring) == 0;
}

/* Find slots that came into use.  The registration of a slot's owner may drain
 * all rings first. */
static bool look_for_slots(struct syc_rings *rings, bool all)
{
	const struct syc_arenas_sink sink = { .begin = begin_slot,
		                              .context = rings };
	bool more;

	if (rings->is_looking)
		return false;
	rings->is_looking = true;
	more = syc_arenas_look(&rings->arenas, all, &sink);
	rings->is_looking = false;
	return more;
}

static void end_past(struct syc_rings *rings)
{
	struct syc_processes *const processes = rings->intake->processes;

	while (rings->past.n > 0) {
		const struct syc_rings_past past =
			rings->past.items[--rings->past.n];

		if (past.goes_on)
			syc_processes_past_goes_on(processes, past.pid);
		else
			syc_processes_past_over(processes, past.pid);
	}
}

static void drain_all(struct syc_rings *rings, bool all_slots,
                      struct syc_rings_pass *ret_pass)
{
	bool look;

	*ret_pass = (struct syc_rings_pass){ 0 };
	ret_pass->busy = look_for_slots(rings, all_slots);
	look = syc_arenas_begin_pass(&rings->arenas);
	for (size_t i = 0; i < rings->live.n;) {
		struct syc_ring *const ring = rings->live.items[i];
		const bool goes_on =
			ring->arena != NULL
				? drain_slot(rings, ring, look, ret_pass)
				: drain_one(rings, ring, ret_pass);

		if (goes_on)
			i++;
		else
			end_ring(rings, i);
	}
	end_past(rings);
}

void syc_rings_drain(struct syc_rings *rings, struct syc_rings_pass *ret_pass)
{
	drain_all(rings, false, ret_pass);
	look_for_names(rings);
}

void syc_rings_settle(struct syc_rings *rings)
{
	struct syc_rings_pass pass;

	drain_all(rings, true, &pass);
}

static void end_arena(struct syc_rings *rings, size_t i)
{
	struct syc_arena_taken *const arena = rings->arenas.all.items[i];
	const bool lives =
		!arena->is_past &&
		syc_processes_alive(rings->intake->processes, arena->requester);

	syc_intake_stray(rings->intake, arena, lives);
	if (arena->is_past)
		syc_processes_past_over(rings->intake->processes,
		                        arena->requester);
	syc_arenas_forget(&rings->arenas, i);
}

/*
 * Collect suspect rings and arenas.  Returns the number of suspects that no
 * process maps.
 */
static size_t mark_orphans(struct syc_rings *rings)
{
	const struct syc_processes *const processes = rings->intake->processes;

	rings->suspects.n = 0;
	for (size_t i = 0; i < rings->live.n; i++) {
		struct syc_ring *const ring = rings->live.items[i];

		if (ring->arena == NULL &&
		    syc_orphans_is_suspect(ring, processes))
			(void)syc_array_push(
				&rings->suspects,
				((struct syc_orphan){
					.inode = ring->inode,
					.unmapped_for = &ring->unmapped_for }));
		else
			ring->unmapped_for = 0;
	}
	for (size_t i = 0; i < rings->arenas.all.n; i++) {
		struct syc_arena_taken *const arena =
			rings->arenas.all.items[i];

		if (syc_arenas_is_suspect(&rings->arenas, arena))
			(void)syc_array_push(
				&rings->suspects,
				((struct syc_orphan){
					.inode = arena->inode,
					.unmapped_for =
						&arena->unmapped_for }));
		else
			arena->unmapped_for = 0;
	}
	return syc_orphans_mark(rings->suspects.items, rings->suspects.n,
	                        processes);
}

static void end_arenas(struct syc_rings *rings)
{
	bool any = false;

	for (size_t i = 0; i < rings->arenas.all.n; i++) {
		struct syc_arena_taken *const arena =
			rings->arenas.all.items[i];

		arena->is_over |= arena->unmapped_for >= LOOKS_AT_ORPHANS;
		any |= arena->is_over;
	}
	if (!any)
		return;
	/* Drain all rings first, because some processes were not examined
	 * yet */
	syc_rings_settle(rings);
	for (size_t i = 0; i < rings->arenas.all.n;)
		if (rings->arenas.all.items[i]->is_over &&
		    rings->arenas.all.items[i]->n_rings == 0)
			end_arena(rings, i);
		else
			i++;
}

void syc_rings_end_orphans(struct syc_rings *rings, bool all_fetched)
{
	struct syc_rings_pass pass;

	syc_arenas_free_claimed(&rings->arenas);
	if (mark_orphans(rings) == 0)
		return;
	for (size_t i = 0; i < rings->live.n;) {
		struct syc_ring *ring = rings->live.items[i];
		const bool orphan = ring->unmapped_for >= LOOKS_AT_ORPHANS &&
		                    (ring->used || all_fetched);

		if (orphan) {
			drain_one(rings, ring, &pass);
			end_ring(rings, i);
		} else {
			i++;
		}
	}
	end_arenas(rings);
}

/*
 * Release arenas from before the process's last exec().  The process maps only
 * its newest arena.  A process that maps all of its arenas costs an occasional
 * check.
 */
static void forget_older(struct syc_rings *rings, int32_t pid)
{
	if (!syc_arenas_has_many(&rings->arenas, pid) ||
	    syc_now() < rings->crowded_until)
		return;
	for (int i = 0; i < LOOKS_AT_ORPHANS; i++)
		syc_rings_end_orphans(rings, false);
	if (syc_arenas_has_many(&rings->arenas, pid))
		rings->crowded_until = syc_now() + CROWDED_NS;
}

void syc_rings_take(struct syc_rings *rings, int32_t pid, int fd)
{
	const struct syc_arena_taken *arena;

	forget_older(rings, pid);
	arena = syc_arenas_take(&rings->arenas, pid, fd);
	if (arena != NULL && arena->is_past)
		syc_rings_settle(rings);
}

void syc_rings_close(struct syc_rings *rings)
{
	syc_arenas_close(&rings->arenas);
	syc_rings_settle(rings);
}

void syc_rings_end_all(struct syc_rings *rings)
{
	while (rings->live.n > 0)
		end_ring(rings, rings->live.n - 1);
	while (rings->arenas.all.n > 0)
		end_arena(rings, rings->arenas.all.n - 1);
	end_past(rings);
}
