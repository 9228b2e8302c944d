/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_name.c - what threads are called, in the file. */
#define _GNU_SOURCE
#include "record/thread_name.h"

#include <stdio.h>
#include <string.h>

#include "data/text_file.h"
#include "record/now.h"
#include "record/process_numbers.h"

/* Threads get their names when they begin, and their first event may come
 * before: from the first look to the next, and to all that are late. */
#define LOOK_SOON  INT64_C(25000000)
#define LOOK_AGAIN INT64_C(1000000000)

/* The process is the one that asked for the ring, and runs the same program:
 * its number and those of its threads are ours, and nobody else's yet. */
static bool is_in_our_proc(const struct syc_intake *intake,
                           const struct syc_ring *ring)
{
	return ring->pid == ring->requester &&
	       syc_processes_alive(intake->processes, ring->pid) &&
	       syc_processes_image(intake->processes, ring->pid) == ring->image;
}

/* Returns whether the kernel told it. */
static bool read_kernel_name(const struct syc_ring *ring,
                             char name[SYC_RING_NAME])
{
	char file[32], text[SYC_RING_NAME + 1]; /* and the newline */
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

/* The shared memory is copied once: its writer may go on writing. */
static void read_told_name(const struct syc_ring *ring,
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

	if (is_in_our_proc(intake, ring) && read_kernel_name(ring, name)) {
		write_name(intake, ring, name);
	} else if (ring->name[0] == 0) {
		read_told_name(ring, name);
		write_name(intake, ring, name);
	}
}

void syc_thread_name_look(struct syc_intake *intake, struct syc_ring *ring,
                          int64_t now)
{
	if (!ring->ours || !ring->used ||
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

void syc_thread_name_look_last(struct syc_intake *intake, struct syc_ring *ring)
{
	syc_ring_look_for_client(ring);
	if (ring->ours && ring->used)
		look_at_name(intake, ring);
}
