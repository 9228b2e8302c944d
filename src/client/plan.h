/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan.h - what this process is to record into by itself.
 *
 * There are two plans, the environment's and that of syscap_start(), and one
 * of them is current; struct sc_block says where they are, and which.  Both
 * are static in some copy: a forked child has them too.  The second is written
 * only by who has sc_process->life, while it is not current.
 */
#ifndef SC_PLAN_H
#define SC_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "copies/block.h"
#include "sink/output.h"
#include "sink/trace_fd.h"

struct syscap_options;

enum sc_sink {
	SC_SINK_NONE = 0,
	SC_SINK_CONTROL, /* a recorder's rings: no session of ours */
	SC_SINK_TRACE,
	SC_SINK_OUTPUT,
};

struct sc_plan {
	enum sc_sink sink;
	bool no_thread;
	uint32_t ring_bytes;
	int64_t interval_ns;   /* how long an event may wait for the drainer */
	int64_t exit_flush_ns; /* how long exit() may wait for the sink */
	struct sc_trace_target trace;
	/* NULL where the sink is another: mapped at its first use */
	struct sc_output_target *output;
};

/**
 * Take the variables of the environment.  *@ret_why becomes the sentence for
 * syscap_get_stats() where one of them is set.  @has_recorder: there is one,
 * which comes first.  Returns the sink.  Context: setup, once.
 */
enum sc_sink sc_plan_from_environment(bool has_recorder, const char **ret_why);

/** Take what syscap_start() is given.  NULL, or why it can't be. */
const char *sc_plan_from_options(const struct syscap_options *options);

/** Context of these: any-thread, signal-safe. */

/** This copy's, current or not. */
const struct sc_plan *sc_plan_of_environment(void);
const struct sc_plan *sc_plan_of_options(void);

/** Make the one plan or the other current.  By who has sc_process->life. */
void sc_plan_use_options(void);
void sc_plan_use_environment(void);

static inline bool sc_plan_is_started(void)
{
	return __atomic_load_n(&sc_block->is_started, __ATOMIC_ACQUIRE) != 0;
}

static inline const struct sc_plan *sc_plan_current(void)
{
	return sc_plan_is_started() ? sc_block->started : sc_block->environment;
}

static inline enum sc_sink sc_plan_sink(void)
{
	return sc_plan_current()->sink;
}

#endif
