/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan.h - destination and options of a recording by this process itself.
 *
 * Two destinations have a plan: the destination of the environment, and the
 * destination of syscap_start().  Only the holder of syc_process->life writes
 * the second plan, while this plan is not current.
 */
#ifndef SYC_SESSION_PLAN_H
#define SYC_SESSION_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "emit/sink.h"
#include "session/output.h"
#include "session/trace.h"

struct syscap_options;

struct syc_plan {
	struct syc_destination to; /* first member: the block points to this
	                            * member */
	bool no_thread;
	bool private_children; /* forked children have arenas of their own */
	uint32_t ring_bytes;
	int64_t interval_ns;   /* longest wait of an event for the drainer */
	int64_t exit_flush_ns; /* longest wait of exit() for the sink */
	struct syc_trace_target trace;
	/* target of an output, mapped at its first use; NULL for another
	 * sink */
	struct syc_output_target *output;
};

/**
 * Read the environment's variables. *@ret_why becomes the sentence for
 * syscap_get_stats() if a variable is set.  @has_recorder: a recorder exists,
 * and takes precedence.  Returns the sink.  Context: setup, once.
 */
enum syc_sink syc_plan_from_environment(bool has_recorder,
                                        const char **ret_why);

/** Read the options of syscap_start().  Returns NULL, or the reason why the
 * options are impossible. */
const char *syc_plan_from_options(const struct syscap_options *options);

/** Context of the functions below: any-thread, signal-safe. */

/** This copy's plan of syscap_start()'s options, current or not; and the
 * destination of the environment's plan. */
const struct syc_plan *syc_plan_of_options(void);
const struct syc_destination *syc_plan_of_environment(void);

/** Make one of the two plans current.  The caller holds syc_process->life. */
void syc_plan_use_options(void);
void syc_plan_use_environment(void);

static inline const struct syc_plan *syc_plan_current(void)
{
	return (const struct syc_plan *)syc_destination_current();
}

#endif
