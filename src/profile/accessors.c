/* SPDX-License-Identifier: BSD-2-Clause */
/* accessors.c - the public accessors of a profile, and descriptions of views. */
#include <stdio.h>
#include <string.h>

#include "profile/model.h"

const struct syscap_profile_process *
syscap_profile_processes(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->processes.list.n;
	return profile->processes.list.items;
}

const struct syscap_profile_thread *
syscap_profile_threads(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->processes.threads.n;
	return profile->processes.threads.items;
}

const struct syscap_profile_function *
syscap_profile_functions(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->functions.items.n;
	return profile->functions.items.items;
}

const struct syscap_profile_function *
syscap_profile_function(const struct syscap_profile *profile, uint32_t number)
{
	return number < profile->functions.items.n
	               ? &profile->functions.items.items[number]
	               : NULL;
}

const struct syscap_profile_location *
syscap_profile_locations(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->stacks.locations.n;
	return profile->stacks.locations.items;
}

const struct syscap_profile_source *
syscap_profile_sources(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->naming.sources.sources.n;
	return profile->naming.sources.sources.items;
}

const struct syscap_profile_line *
syscap_profile_lines(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->naming.sources.lines.n;
	return profile->naming.sources.lines.items;
}

const struct syscap_profile_map *
syscap_profile_maps(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->naming.maps.n;
	return profile->naming.maps.items;
}

void syscap_profile_stacks(const struct syscap_profile *profile,
                           struct syscap_profile_stacks *ret_stacks)
{
	ret_stacks->n = profile->stacks.nodes.n;
	ret_stacks->parents = profile->stacks.parents.items;
	ret_stacks->locations = profile->stacks.nodes.items;
}

void syscap_profile_samples(const struct syscap_profile *profile,
                            struct syscap_profile_samples *ret_samples)
{
	ret_samples->n = profile->samples.times.n;
	ret_samples->times = profile->samples.times.items;
	ret_samples->threads = profile->samples.threads.items;
	ret_samples->stacks = profile->samples.stacks.items;
	ret_samples->ticks = profile->samples.ticks.items;
}

void syscap_profile_span(const struct syscap_profile *profile,
                         struct syscap_profile_span *ret_span)
{
	*ret_span = profile->span;
	ret_span->has_names = profile->naming.has_table;
	ret_span->has_lines = profile->naming.sources.sources.n > 0;
	ret_span->is_flight = profile->processes.is_flight;
}

const struct syscap_profile_loss *
syscap_profile_losses(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->losses.n;
	return profile->losses.items;
}

const char *syscap_profile_incomplete(const struct syscap_profile *profile)
{
	return profile->processes.incomplete;
}

void syscap_profile_unsampled(const struct syscap_profile *profile,
                              struct syscap_profile_unsampled *ret_unsampled)
{
	syc_unsampled_judge(&profile->processes.unsampled, ret_unsampled);
}

size_t syscap_profile_n_marks(const struct syscap_profile *profile)
{
	return profile->marks.items.n;
}

struct syscap_profile_mark
syscap_profile_mark(const struct syscap_profile *profile, size_t number)
{
	return syc_marks_get(&profile->marks, number);
}

void syscap_profile_mark_soon(const struct syscap_profile *profile,
                              size_t number)
{
	__builtin_prefetch(&profile->marks.items.items[number]);
}

const struct syscap_profile_mark_name *
syscap_profile_mark_names(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->marks.names.n;
	return profile->marks.names.items;
}

const struct syscap_profile_part *
syscap_profile_parts(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->async_ops.items.n;
	return profile->async_ops.items.items;
}

const struct syscap_profile_operation *
syscap_profile_operations(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->async_ops.operations.n;
	return profile->async_ops.operations.items;
}

const struct syscap_profile_arrow *
syscap_profile_arrows(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->async_ops.arrows.n;
	return profile->async_ops.arrows.items;
}

const struct syscap_profile_counter *
syscap_profile_counters(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->counters.items.n;
	return profile->counters.items.items;
}

void syscap_profile_values(const struct syscap_profile *profile,
                           struct syscap_profile_values *ret_values)
{
	const struct syc_values *values = &profile->counters.values;

	ret_values->n = values->times.n;
	ret_values->times = values->times.items;
	ret_values->bits = values->bits.items;
	ret_values->counters = values->counters.items;
	ret_values->threads = values->threads.items;
}

const struct syscap_profile_log *
syscap_profile_logs(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->logs.n;
	return profile->logs.items;
}

const char *syscap_profile_clean(struct syscap_profile *profile,
                                 const char *text)
{
	return syc_texts_show(&profile->texts, text);
}

const char *syscap_profile_message(struct syscap_profile *profile,
                                   struct syscap_reader *reader,
                                   uint64_t offset)
{
	struct syscap_frame frame;

	if (syscap_reader_seek(reader, offset) < 0 ||
	    syscap_reader_next(reader, &frame, NULL) <= 0)
		return "";
	if (frame.type == SYSCAP_FRAME_MARK)
		return syc_texts_show(&profile->texts, frame.mark.message);
	if (frame.type == SYSCAP_FRAME_LOG)
		return syc_texts_show(&profile->texts, frame.log.message);
	return "";
}

void syscap_profile_describe_early_marks(const struct syscap_profile *profile,
                                         char *text, size_t size)
{
	const unsigned long long cut = profile->n_cut_marks;
	const unsigned long long omitted = profile->n_omitted_marks;
	char rest[100] = "";

	if (omitted > 0)
		snprintf(rest, sizeof(rest),
		         "%llu mark%s from before the recording or %s omitted",
		         omitted, omitted == 1 ? "" : "s",
		         omitted == 1 ? "its process was"
		                      : "their processes were");
	if (cut > 0)
		snprintf(text, size,
		         "%llu mark%s began before the recording, measured "
		         "from its start%s%s",
		         cut, cut == 1 ? "" : "s", omitted > 0 ? "; " : "",
		         rest);
	else
		snprintf(text, size, "%s", rest);
}

const struct syscap_profile_wait *
syscap_profile_waits(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->waits.n;
	return profile->waits.items;
}

const struct syscap_profile_crash *
syscap_profile_crashes(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->crashes.n;
	return profile->crashes.items;
}

size_t syscap_profile_stack_functions(const struct syscap_profile *profile,
                                      uint32_t stack, uint32_t *ret_functions,
                                      size_t max)
{
	const struct syc_stacks *const stacks = &profile->stacks;
	size_t n = 0;

	for (; stack != SYSCAP_PROFILE_NONE && stack != 0;
	     stack = stacks->parents.items[stack]) {
		const struct syscap_profile_location *const location =
			&stacks->locations.items[stacks->nodes.items[stack]];
		const struct syscap_profile_source *source = NULL;

		if (location->source != SYSCAP_PROFILE_NONE)
			source = &profile->naming.sources.sources
			                  .items[location->source];
		for (uint32_t i = source != NULL ? source->n_inlined : 0;;
		     i--) {
			if (n < max)
				ret_functions[n] = i > 0 ? source[i].function
				                         : location->function;
			n++;
			if (i == 0)
				break;
		}
	}
	return n;
}

/* The signal and its address, without the reason. */
static size_t length_of_signal(const char *message)
{
	static const char address[] = " at address 0x";
	size_t n = strspn(message, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	if (strncmp(message + n, address, sizeof(address) - 1) == 0) {
		n += sizeof(address) - 1;
		n += strspn(message + n, "0123456789abcdef");
	}
	return n;
}

void syscap_profile_describe_crash(const struct syscap_profile *profile,
                                   char *text, size_t size)
{
	const struct syscap_profile_crash *const crash = profile->crashes.items;
	char after[32];
	int64_t passed;

	*text = '\0';
	if (profile->crashes.n == 0)
		return;
	const struct syscap_profile_thread *const thread =
		&profile->processes.threads.items[crash->thread];
	const int pid = profile->processes.list.items[thread->process].pid;
	const int len = (int)length_of_signal(crash->message);
	if (__builtin_sub_overflow(crash->time, profile->span.begin, &passed))
		passed = INT64_MAX;
	syc_duration_format(passed, after, sizeof(after));
	snprintf(text, size,
	         "process %d crashed%s%.*s after %s of the recording", pid,
	         len > 0 ? " by " : "", len, crash->message, after);
}

const struct syscap_profile_allocation *
syscap_profile_allocations(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->allocations.items.n;
	return profile->allocations.items.items;
}

void syscap_profile_heap(const struct syscap_profile *profile,
                         struct syscap_profile_heap *ret_heap)
{
	*ret_heap = profile->allocations.heap;
	ret_heap->sample_bytes = profile->processes.memory_bytes;
	ret_heap->is_cut = profile->processes.is_cut;
	ret_heap->is_begin_cut = profile->processes.is_begin_cut;
}

uint64_t syscap_profile_tick(const struct syscap_profile *profile,
                             uint32_t thread)
{
	const uint32_t process =
		profile->processes.threads.items[thread].process;

	if (profile->unit == SYSCAP_UNIT_TICKS)
		return 1;
	return (uint64_t)profile->processes.list.items[process].period_ns;
}

static void format_share(uint64_t part, uint64_t whole, char text[24])
{
	const double percent = 100 * (double)part / (double)whole;

	if (percent < 0.05)
		snprintf(text, 24, "less than 0.1 %%");
	else
		snprintf(text, 24, "%.1f %%", percent);
}

void syscap_view_describe_recording(const struct syscap_view *view, char *text,
                                    size_t size)
{
	char share[24], memory[24];

	*text = 0;
	if (view->recording == 0)
		return;
	format_share(view->recording, view->whole, share);
	format_share(view->recording_memory, view->whole, memory);
	if (view->recording_memory == 0)
		snprintf(text, size, "%s of the %s was syscap itself", share,
		         syscap_view_unit_name(view->unit));
	else
		snprintf(text, size,
		         "%s of the %s was syscap itself, %s for --memory",
		         share, syscap_view_unit_name(view->unit), memory);
}

const char *syscap_view_of_name(enum syscap_view_of of, uint64_t n)
{
	static const char *const names[][2] = {
		[SYSCAP_VIEW_SAMPLES] = { "sample", "samples" },
		[SYSCAP_VIEW_ALLOCATED] = { "allocation", "allocations" },
		[SYSCAP_VIEW_LEAKED] = { "allocation", "allocations" },
		[SYSCAP_VIEW_TEMPORARY] = { "allocation", "allocations" },
		[SYSCAP_VIEW_BLOCKED] = { "call that blocked",
		                          "calls that blocked" },
		[SYSCAP_VIEW_STALLED] = { "stack of a stall",
		                          "stacks of stalls" },
		[SYSCAP_VIEW_PEAK] = { "allocation", "allocations" },
	};

	return names[of][n != 1];
}

const char *syscap_view_unit_name(enum syscap_view_unit unit)
{
	static const char *const names[] = {
		[SYSCAP_UNIT_TICKS] = "ticks",
		[SYSCAP_UNIT_CPU_NS] = "processor time",
		[SYSCAP_UNIT_WALL_NS] = "wall time",
		[SYSCAP_UNIT_MIXED_NS] = "processor and wall time",
		[SYSCAP_UNIT_BYTES] = "bytes",
	};

	return names[unit];
}
