/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * intake.h - from a cleaned frame of a ring to the file.
 *
 * Sees to it that the frame's process is known first, that counter ids are
 * unique, and that every loss is told: those that the writer of the ring
 * tells itself, and, when the ring is over, those that it could not.
 */
#ifndef SYC_RECORD_INTAKE_H
#define SYC_RECORD_INTAKE_H

#include <stdint.h>

#include "capture/compose.h"
#include "capture/writer.h"
#include "record/arenas.h"
#include "record/delivered.h"
#include "record/drain.h"
#include "record/processes.h"
#include "record/renumber.h"
#include "record/report.h"

struct syc_intake {
	struct syc_writer *writer;
	struct syc_processes *processes;
	struct syc_renumber *renumber;
	struct syc_record_report *report;

	uint64_t lost;        /* frames, told by writers or found by us */
	uint64_t threads;     /* rings of our client: one a thread */
	uint64_t other_rings; /* of other clients: one a thread and copy */
	uint64_t closed;      /* rings with malformed content */
	int32_t command;      /* its pid */
	uint64_t allocations; /* without frees */
	uint64_t command_allocations;
	uint64_t samples; /* of all processes */
	uint64_t command_samples;
	struct syc_delivered delivered;
	uint64_t stacks;   /* frames that have one */
	int counter_error; /* said already */
	union syc_frame_buffer frame;
};

/** For struct syc_drain_sink; @context is the intake. */
const char *syc_intake_frame(void *context, struct syc_ring *ring,
                             struct syscap_wire_frame *frame);

/** The process that writes to @ring, by the number that stands in the file. */
int32_t syc_intake_owner(struct syc_intake *intake, struct syc_ring *ring);

/** The ring is over, with ring->why set if it is malformed. */
void syc_intake_end(struct syc_intake *intake, struct syc_ring *ring);

/** At the end of @arena: what threads lost that found no slot in it.  @lives:
 * who handed it over. */
void syc_intake_stray(struct syc_intake *intake,
                      const struct syc_arena_taken *arena, bool lives);

/** @n processes could not be recorded: the file says so to its readers. */
void syc_intake_tell_missing(struct syc_intake *intake, unsigned n);

#endif
