/* SPDX-License-Identifier: BSD-2-Clause */
/* plan.c - destination and options of a recording by this process itself. */
#define _GNU_SOURCE
#include "session/plan.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "os/env.h"
#include "os/permanent_map.h"
#include "ring/arena.h"
#include "session/trace_adopt.h"

#define MS                  INT64_C(1000000)
#define DEFAULT_INTERVAL_NS (50 * MS)
#define DEFAULT_FLUSH_NS    (250 * MS)
/* Longer flush time for a trace file, because no ring file is left for a
 * recovery.  Many processes that take turns, not a slow reader, delay a
 * write */
#define SHARED_FLUSH_NS  (2000 * MS)
#define DEFAULT_RING_KIB 256u

static struct syc_plan from_environment;
static struct syc_plan from_options;

const struct syc_destination *syc_plan_of_environment(void)
{
	return &from_environment.to;
}

const struct syc_plan *syc_plan_of_options(void)
{
	return &from_options;
}

void syc_plan_use_options(void)
{
	syc_block->started = &from_options.to;
	__atomic_store_n(&syc_block->is_started, 1, __ATOMIC_RELEASE);
}

void syc_plan_use_environment(void)
{
	__atomic_store_n(&syc_block->is_started, 0, __ATOMIC_RELEASE);
}

static uint32_t ring_bytes(uint64_t kib)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	uint64_t bytes = kib * 1024;

	if (kib == 0)
		bytes = DEFAULT_RING_KIB * 1024;
	if (kib > SYC_ARENA_BODY_MAX / 1024)
		bytes = SYC_ARENA_BODY_MAX;
	if (bytes < SYC_ARENA_BODY_MIN)
		bytes = SYC_ARENA_BODY_MIN;
	return (uint32_t)((bytes + page - 1) / page * page);
}

static void fill_defaults(struct syc_plan *plan)
{
	const char *const thread = syc_env_get(SYC_ENV_THREAD);

	plan->no_thread = thread != NULL && strcmp(thread, "0") == 0;
	plan->ring_bytes = ring_bytes(syc_env_number(SYC_ENV_RING_KIB));
	plan->interval_ns = DEFAULT_INTERVAL_NS;
	plan->exit_flush_ns = DEFAULT_FLUSH_NS;
}

static const char *plan_output(struct syc_plan *plan, const char *pattern)
{
	if (syc_lazy_map_get(&plan->output, sizeof(*plan->output)) == NULL)
		return "no memory for the output's name";
	switch (syc_output_choose(plan->output, pattern,
	                          syc_env_get(SYC_ENV_RUNTIME_DIR),
	                          program_invocation_short_name)) {
	case 0:
		return NULL;
	case -ENAMETOOLONG:
		return "the output's name is too long";
	case -EINVAL:
		return "the output's name is empty or has a % that is not "
		       "%p, %n or %%";
	default:
		return "the directory that the output is to be in can't be "
		       "told";
	}
}

enum syc_sink syc_plan_from_environment(bool has_recorder, const char **ret_why)
{
	struct syc_plan *const plan = &from_environment;
	const char *const trace = syc_env_get(SYC_ENV_TRACE_FD);
	const char *const output = syc_env_get(SYC_ENV_OUTPUT);
	const int fd = syc_env_parse_fd(trace);

	fill_defaults(plan);
	plan->to.sink = SYC_SINK_NONE;
	if (has_recorder) {
		plan->to.sink = SYC_SINK_CONTROL;
	} else if (trace != NULL) {
		*ret_why = fd < 0 ? "SYSPROF_TRACE_FD is not a descriptor "
		                    "number above 2"
		                  : syc_trace_adopt(fd, &plan->trace);
		if (*ret_why == NULL)
			plan->to.sink = SYC_SINK_TRACE;
		if (plan->trace.kind == SYC_TRACE_FILE)
			plan->exit_flush_ns = SHARED_FLUSH_NS;
	} else if (output != NULL) {
		*ret_why = plan_output(plan, output);
		if (*ret_why == NULL)
			plan->to.sink = SYC_SINK_OUTPUT;
	}
	if (plan->to.sink == SYC_SINK_TRACE)
		*ret_why = "SYSPROF_TRACE_FD is written to";
	else if (plan->to.sink == SYC_SINK_OUTPUT)
		*ret_why = "SYSCAP_OUTPUT is written to";
	return plan->to.sink;
}

const char *syc_plan_from_options(const struct syscap_options *options)
{
	struct syc_plan *const plan = &from_options;

	fill_defaults(plan);
	plan->to.sink = SYC_SINK_OUTPUT;
	if ((options->flags & SYSCAP_NO_THREAD) != 0)
		plan->no_thread = true;
	plan->private_children =
		(options->flags & SYSCAP_PRIVATE_CHILDREN) != 0;
	if (options->ring_kib != 0)
		plan->ring_bytes = ring_bytes(options->ring_kib);
	if (options->interval_ms != 0)
		plan->interval_ns = options->interval_ms * MS;
	if (options->exit_flush_ms != 0)
		plan->exit_flush_ns = options->exit_flush_ms * MS;
	const char *const why = plan_output(plan, options->output);
	if (why == NULL)
		plan->output->max_bytes = options->max_bytes;
	return why;
}
