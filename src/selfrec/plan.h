/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan.h - what this process is to record into by itself.
 *
 * There is a plan for each destination, the environment's and that of
 * syscap_start().  The second is written only by the holder of
 * syc_process->life, while it is not current.
 */
#ifndef SYC_SELFREC_PLAN_H
#define SYC_SELFREC_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "emit/sink.h"
#include "selfrec/output.h"
#include "selfrec/trace.h"

struct syscap_options;

struct syc_plan {
	struct syc_destination to; /* first: what the block points to */
	bool no_thread;
	bool private_children; /* forked ones have arenas of their own */
	uint32_t ring_bytes;
	int64_t interval_ns;   /* how long an event may wait for the drainer */
	int64_t exit_flush_ns; /* how long exit() may wait for the sink */
	struct syc_trace_target trace;
	/* NULL where the sink is another: mapped at its first use */
	struct syc_output_target *output;
};

/**
 * Take the variables of the environment.  *@ret_why becomes the sentence for
 * syscap_get_stats() where one of them is set.  @has_recorder: there is one,
 * which comes first.  Returns the sink.  Context: setup, once.
 */
enum syc_sink syc_plan_from_environment(bool has_recorder,
                                        const char **ret_why);

/** Take what syscap_start() is given.  NULL, or why it can't be. */
const char *syc_plan_from_options(const struct syscap_options *options);

/** Context of these: any-thread, signal-safe. */

/** This copy's, current or not; and where the environment's leads. */
const struct syc_plan *syc_plan_of_options(void);
const struct syc_destination *syc_plan_of_environment(void);

/** Make the one plan or the other current.  The caller has syc_process->life. */
void syc_plan_use_options(void);
void syc_plan_use_environment(void);

static inline const struct syc_plan *syc_plan_current(void)
{
	return (const struct syc_plan *)syc_destination_current();
}

#endif
