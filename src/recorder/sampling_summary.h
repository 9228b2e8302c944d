/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling_summary.h - samples that were requested, and those that arrived. */
#ifndef SYC_RECORDER_SAMPLING_SUMMARY_H
#define SYC_RECORDER_SAMPLING_SUMMARY_H

#include <stdint.h>

#include <syscap/format.h>

struct syc_sampling_summary {
	uint64_t samples;       /* number of samples with a stack, without
	                         * weights */
	uint64_t ticks;         /* ticks of these samples */
	uint64_t without_stack; /* ticks of threads without any sample */
	uint64_t stopped;       /* samples whose stack lacks the outermost
	                         * frame */
	/* Threads without ticks, as processes reported at their end */
	uint64_t blocked, small, filtered, limited;
	/*
	 * Also reported by processes at their end: the ticks of all samples,
	 * and the time that sampling took
	 */
	uint64_t reported_ticks, took_us;
	uint64_t cramped;  /* ticks on an alternate stack without room */
	uint64_t ended;    /* processes that took over the signal */
	int64_t forbidden; /* threads; by a seccomp filter */
};

/** Count a sample of our sampler. */
void syc_sampling_summary_take(struct syc_sampling_summary *delivered,
                               const struct syscap_wire_sample *sample);

/** METADATA `syscap.sampler.unsampled`: "blocked 3, small 1, …"; or
 * `syscap.sampler.delivered`: "samples 518, ticks 539, …". */
void syc_sampling_summary_note(struct syc_sampling_summary *delivered,
                               const char *text);

/** METADATA `syscap.sampler.ended`: a process is not sampled any more. */
void syc_sampling_summary_note_end(struct syc_sampling_summary *delivered);

/**
 * METADATA `syscap.filter`: "ended 2: samples", or "resumed 2: ..." if the
 * kernel refused the filter.
 */
void syc_sampling_summary_note_filter(struct syc_sampling_summary *delivered,
                                      const char *text);

/** A line on stderr if threads were not recorded to their end. */
void syc_sampling_summary_print_forbidden(
	const struct syc_sampling_summary *delivered);

/**
 * At most three lines on stderr; none if all is as requested.  @sample is
 * $SYSCAP_SAMPLE of the command, @command its name.
 */
void syc_sampling_summary_print(const struct syc_sampling_summary *delivered,
                                const char *sample, const char *command);

#endif
