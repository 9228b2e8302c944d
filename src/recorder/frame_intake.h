/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_intake.h - path of a cleaned frame from a ring to the file.
 *
 * The path ensures that the capture first has the frame's process, that counter
 * ids are unique, and that every loss has a record.  The writer of a ring
 * records its losses.  At the ring's end, the recorder adds a record of the
 * remaining losses.
 */
#ifndef SYC_RECORDER_FRAME_INTAKE_H
#define SYC_RECORDER_FRAME_INTAKE_H

#include <stdint.h>

#include <syscap/format.h>

#include "capture/writer.h"
#include "common/containers.h"
#include "profile/unsampled.h"
#include "recorder/drain.h"
#include "recorder/processes.h"
#include "recorder/recorder.h"

/* Comparison of the requested samples with the samples that arrived. */

#define SYC_WEIGHT_CLASSES 32

struct syc_sampling_summary {
	uint64_t samples; /* number of samples with a stack, without
	                         * weights */
	uint64_t ticks;   /* ticks that these samples represent */
	/*
	 * the two numbers above, by the binary logarithm of a sample's weight
	 */
	uint64_t samples_by_weight[SYC_WEIGHT_CLASSES];
	uint64_t ticks_by_weight[SYC_WEIGHT_CLASSES];
	uint64_t without_stack; /* ticks of threads without any sample */
	uint64_t stopped;       /* samples whose stack lacks the outermost
	                         * frame */
	/* Threads without ticks, by reports of ended processes */
	uint64_t blocked, asleep, small, filtered, limited;
	/*
	 * The ticks of all samples, and the time that sampling took, by reports
	 * of ended processes
	 */
	uint64_t reported_ticks, took_us;
	uint64_t cramped;  /* ticks on a too small alternate stack */
	uint64_t ended;    /* processes that took over the sampler's signal */
	int64_t forbidden; /* threads that a seccomp filter excludes */
	uint64_t lost;     /* lost samples */
	/* The result of syc_sampling_summary_compare() */
	struct syc_unsampled unsampled;
};

/** Count a sample of syscap's sampler. */
void syc_sampling_summary_take(struct syc_sampling_summary *sampling,
                               const struct syscap_wire_sample *sample);

/**
 * Read METADATA `syscap.sampler.unsampled` ("blocked 3, asleep 2, …") or
 * `syscap.sampler.delivered` ("samples 518, ticks 539, …").
 */
void syc_sampling_summary_note(struct syc_sampling_summary *sampling,
                               const char *text);

/** Read METADATA `syscap.sampler.ended`: the sampling of a process has
 * ended. */
void syc_sampling_summary_note_end(struct syc_sampling_summary *sampling);

/**
 * Read METADATA `syscap.filter`: "ended 2: samples", or "resumed 2: ..."  if
 * the kernel refused the filter.
 */
void syc_sampling_summary_note_filter(struct syc_sampling_summary *sampling,
                                      const char *text);

/**
 * Compare the samples with @cpu_us, the processor time of the command and its
 * waited children.  @sample is $SYSCAP_SAMPLE of the command.  The result is a
 * lower bound of the missing time: processes that no parent waited for have
 * samples, but no processor time.
 */
void syc_sampling_summary_compare(struct syc_sampling_summary *sampling,
                                  const char *sample, int64_t cpu_us);

/** Print a line on stderr if threads were not recorded to their end. */
void syc_sampling_summary_print_forbidden(
	const struct syc_sampling_summary *sampling);

/**
 * Print at most three lines on stderr, and none if sampling was as requested.
 * @sample is $SYSCAP_SAMPLE of the command, @command its name.
 */
void syc_sampling_summary_print(const struct syc_sampling_summary *sampling,
                                const char *sample, const char *command);

/** Greatest number of counted threads, because a client may invent thread
 * ids. */
#define SYC_INTAKE_THREADS 262144u

/** State of the frames' path into the file.  Initially all members but the
 * first four are zero. */
struct syc_intake {
	struct syc_writer *writer;
	struct syc_processes *processes;
	struct syc_renumber *renumber;
	struct syc_console *console;

	uint64_t lost;          /* lost frames, reported by writers or found by
	                         * the recorder */
	struct syc_map threads; /* threads of syscap's client: owners of rings
	                         * and of stacks, by pid and tid */
	bool has_more_threads;  /* too many threads, or no memory */
	uint64_t other_rings;   /* rings of other clients: one per thread and
	                         * copy of the client */
	uint64_t closed;        /* rings with malformed content */
	int32_t command;        /* pid of the command */
	uint64_t allocations;   /* allocations, without frees */
	uint64_t command_allocations;
	uint64_t samples; /* samples of all processes */
	uint64_t command_samples;
	struct syc_sampling_summary sampling;
	uint64_t stacks;   /* frames with a stack */
	int counter_error; /* error of counters that was printed already */
	union syc_frame_buffer frame;
};

void syc_intake_fini(struct syc_intake *intake);

/** Write a frame, for struct syc_drain_sink.  @context is the intake. */
const char *syc_intake_frame(void *context, struct syc_ring *ring,
                             struct syscap_wire_frame *frame);

/** Return the pid in the capture of the process that writes to @ring. */
int32_t syc_intake_owner(struct syc_intake *intake, struct syc_ring *ring);

/** End the ring.  ring->why is set if the ring is malformed. */
void syc_intake_end(struct syc_intake *intake, struct syc_ring *ring);

/** Count the thread, or the reported losses, of a @frame that was joined from
 * another capture. */
void syc_intake_count_joined(struct syc_intake *intake,
                             const struct syscap_frame *frame);

/**
 * At the end of @arena, write the losses of threads that found no slot.
 * @lives: whether the sender of @arena is alive.
 */
void syc_intake_stray(struct syc_intake *intake,
                      const struct syc_arena_taken *arena, bool lives);

/** Record in the capture that @n processes could not be recorded. */
void syc_intake_report_missing(struct syc_intake *intake, unsigned n);

#endif
