/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * delivered.h - what became of the samples that were asked for: how many came,
 * how many are whole, which threads had none; and what to do about it.
 */
#ifndef SYC_RECORD_DELIVERED_H
#define SYC_RECORD_DELIVERED_H

#include <stdint.h>

#include <syscap/format.h>

struct syc_delivered {
	uint64_t samples; /* with a weight, of timers */
	uint64_t ticks;   /* that they stand for */
	uint64_t stopped; /* short of the outermost frame */
	/* Threads without ticks, as processes told at their end */
	uint64_t blocked, small, filtered, limited;
	/* As they told there, too: ticks that samples stand for, and what
	 * taking them took */
	uint64_t told_ticks, took_us;
	uint64_t cramped; /* ticks: on an alternate stack without room */
	uint64_t ended;   /* processes that took the signal for themselves */
};

/** A sample of our sampler's. */
void syc_delivered_take(struct syc_delivered *delivered,
                        const struct syscap_wire_sample *sample);

/** METADATA `syscap.sampler.unsampled`: "blocked 3, small 1, …"; or
 * `syscap.sampler.delivered`: "samples 518, ticks 539, …". */
void syc_delivered_note(struct syc_delivered *delivered, const char *text);

/** METADATA `syscap.sampler.ended`: a process is sampled no more. */
void syc_delivered_note_end(struct syc_delivered *delivered);

/** At most three lines on stderr, @sample as the command got it (options.h),
 * @command as it was called; nothing where all is as it was asked for. */
void syc_delivered_print(const struct syc_delivered *delivered,
                         const char *sample, const char *command);

#endif
