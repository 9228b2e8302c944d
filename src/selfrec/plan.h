/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan.h - what this process is to record into by itself.
 *
 * There are two plans, the environment's and that of syscap_start(), and one
 * of them is current; struct syc_block says where they are, and which.  Both
 * are static in some copy: a forked child has them too.  The second is written
 * only by who has syc_process->life, while it is not current.
 */
#ifndef SYC_PLAN_H
#define SYC_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "share/block.h"
#include "selfrec/output.h"
#include "selfrec/trace_fd.h"

struct syscap_options;

enum syc_sink {
	SYC_SINK_NONE = 0,
	SYC_SINK_CONTROL, /* a recorder's rings: no session of ours */
	SYC_SINK_TRACE,
	SYC_SINK_OUTPUT,
};

struct syc_plan {
	enum syc_sink sink;
	bool no_thread;
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

/** This copy's, current or not. */
const struct syc_plan *syc_plan_of_environment(void);
const struct syc_plan *syc_plan_of_options(void);

/** Make the one plan or the other current.  By who has syc_process->life. */
void syc_plan_use_options(void);
void syc_plan_use_environment(void);

static inline bool syc_plan_is_started(void)
{
	return __atomic_load_n(&syc_block->is_started, __ATOMIC_ACQUIRE) != 0;
}

static inline const struct syc_plan *syc_plan_current(void)
{
	return syc_plan_is_started() ? syc_block->started
	                             : syc_block->environment;
}

static inline enum syc_sink syc_plan_sink(void)
{
	return syc_plan_current()->sink;
}

#endif
