/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile.c - reading of a capture into a profile, and a second reading of its
 * events.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/model.h"
#include "profile/naming.h"

#define NONE SYSCAP_PROFILE_NONE

int syscap_profile_new(const struct syscap_profile_options *options,
                       struct syscap_profile **ret_profile)
{
	const struct syscap_profile_options all = { 0 };
	struct syscap_profile *profile = calloc(1, sizeof(*profile));
	int r;

	if (profile == NULL)
		return -ENOMEM;
	if (options == NULL)
		options = &all;
	profile->is_once = options->is_once;
	profile->wanted = options->parts ? options->parts : SYSCAP_PROFILE_ALL;
	syc_processes_init(&profile->processes);
	r = syc_functions_init(&profile->functions, &profile->texts);
	if (r == 0)
		r = syc_stacks_init(&profile->stacks);
	if (r == 0)
		r = syc_naming_init(&profile->naming, &profile->texts,
		                    &profile->functions, options);
	if (r < 0) {
		syscap_profile_free(profile);
		return r;
	}
	*ret_profile = profile;
	return 0;
}

void syscap_profile_free(struct syscap_profile *profile)
{
	if (profile == NULL)
		return;
	syc_naming_fini(&profile->naming);
	syc_stacks_fini(&profile->stacks);
	syc_functions_fini(&profile->functions);
	syc_processes_fini(&profile->processes);
	syc_marks_fini(&profile->marks);
	syc_async_ops_fini(&profile->async_ops);
	syc_counters_fini(&profile->counters);
	syc_allocations_fini(&profile->allocations);
	syc_texts_fini(&profile->texts);
	free(profile->samples.times.items);
	free(profile->samples.threads.items);
	free(profile->samples.stacks.items);
	free(profile->samples.ticks.items);
	free(profile->waits.items);
	free(profile->crashes.items);
	free(profile->last_waits.items);
	syc_map_fini(&profile->waiting_threads);
	free(profile->logs.items);
	free(profile->losses.items);
	free(profile);
}

static void learn_span(struct syscap_profile *profile,
                       const struct syscap_reader *reader)
{
	struct syscap_file_info info;

	syscap_reader_info(reader, &info);
	profile->is_foreign = info.foreign_order;
	profile->span.is_finished = info.end != 0;
	if (!profile->has_span) {
		profile->processes.begin = info.begin;
		profile->span.begin = info.begin;
		profile->span.end = info.begin;
	}
	profile->has_span = true;
}

int syscap_profile_add(struct syscap_profile *profile,
                       const struct syscap_reader *reader,
                       const struct syscap_frame *frame)
{
	int r;

	if (profile->is_sealed)
		return -EINVAL;
	if (!profile->has_span)
		learn_span(profile, reader);
	profile->span.n_frames++;
	profile->position = syscap_reader_tell(reader);
	r = syc_processes_learn(&profile->processes, &profile->texts, frame);
	if (r == 0)
		r = syc_naming_learn(&profile->naming, &profile->processes,
		                     reader, frame);
	return r == 0 ? syc_events_add(profile, reader, frame) : r;
}

int syscap_profile_read_on(struct syscap_profile *profile,
                           struct syscap_reader *reader, uint64_t n_bytes,
                           struct syscap_error *error)
{
	const uint64_t begin = profile->position;
	struct syscap_frame frame;
	int r;

	learn_span(profile, reader);
	profile->naming.is_partial = false;
	if (profile->position == 0)
		syscap_reader_rewind(reader);
	else
		syscap_reader_seek(reader, profile->position);
	while ((r = syscap_reader_next(reader, &frame, error)) != 0) {
		profile->position = syscap_reader_tell(reader);
		if (r == -EILSEQ) {
			profile->span.n_damaged++;
			continue;
		}
		if (r > 0)
			r = syscap_profile_add(profile, reader, &frame);
		if (r < 0)
			return r;
		if (profile->position - begin >= n_bytes) {
			profile->naming.is_partial = true;
			return 1;
		}
	}
	/* The frames that were read ahead are not frames of this capture. */
	syc_naming_forget_ahead(&profile->naming);
	return 0;
}

/*
 * Read the frames from @offset to the end, without their events.  Returns 1 at
 * the end, or 0 if no frame begins at @offset.
 */
static int look_ahead(struct syscap_profile *profile,
                      struct syscap_reader *reader, uint64_t offset)
{
	struct syscap_frame frame;
	int r = syscap_reader_seek(reader, offset);

	if (r < 0)
		return 0;
	while ((r = syscap_reader_next(reader, &frame, NULL)) != 0 &&
	       r != -EBADMSG)
		if (r > 0 && syc_naming_learn_ahead(&profile->naming, reader,
		                                    &frame) < 0)
			return -ENOMEM;
	return r == 0;
}

int syscap_profile_read_names(struct syscap_profile *profile,
                              struct syscap_reader *reader, uint64_t n_bytes)
{
	struct syc_naming *naming = &profile->naming;
	struct syscap_file_info info;
	uint64_t offset;
	int r = 0;

	syscap_reader_info(reader, &info);
	if (naming->has_table || profile->is_sealed || info.size <= n_bytes ||
	    info.size - n_bytes < profile->position)
		return 0;
	/*
	 * Frames have no mark at their beginning.  A wrong beginning leads to
	 * an impossible length soon, or to the beginning of a frame.
	 */
	offset = (info.size - n_bytes) & ~UINT64_C(7);
	for (const uint64_t end = offset + SYSCAP_FRAME_MAX;
	     r == 0 && offset < end; offset += 8) {
		r = look_ahead(profile, reader, offset);
		naming->chunks.bytes.n = 0;
		if (r <= 0)
			syc_naming_forget_ahead(naming);
		/*
		 * Many valid frames came first, so the end of the file is
		 * damaged.
		 */
		if (syscap_reader_tell(reader) > end + SYSCAP_FRAME_MAX)
			break;
	}
	return r < 0 ? r : 0;
}

int syscap_profile_read(struct syscap_profile *profile,
                        struct syscap_reader *reader,
                        struct syscap_error *error)
{
	const int r =
		syscap_profile_read_on(profile, reader, UINT64_MAX, error);

	return r > 0 ? 0 : r;
}

/* The unit of samples: time, if the rates of all threads are known.  A capture
 * without samples has the unit that was requested. */
static enum syscap_view_unit unit_of(const struct syscap_profile *profile)
{
	const enum syscap_profile_clock asked = profile->processes.asked.clock;
	bool has_cpu = false, has_wall = false;

	for (size_t i = 0; i < profile->processes.threads.n; i++) {
		const struct syscap_profile_thread *thread =
			&profile->processes.threads.items[i];
		const struct syscap_profile_process *process =
			&profile->processes.list.items[thread->process];

		if (thread->n_samples == 0)
			continue;
		if (process->period_ns == 0)
			return SYSCAP_UNIT_TICKS;
		has_cpu |= process->clock == SYSCAP_CLOCK_CPU;
		has_wall |= process->clock == SYSCAP_CLOCK_WALL;
	}
	if (!has_cpu && !has_wall) {
		has_cpu = asked == SYSCAP_CLOCK_CPU;
		has_wall = asked == SYSCAP_CLOCK_WALL;
	}
	if (has_cpu && has_wall)
		return SYSCAP_UNIT_MIXED_NS;
	if (!has_cpu && !has_wall)
		return SYSCAP_UNIT_TICKS;
	return has_cpu ? SYSCAP_UNIT_CPU_NS : SYSCAP_UNIT_WALL_NS;
}

/* Apply names that varied over time. */
static int apply_timed_names(struct syscap_profile *profile)
{
	const size_t n_samples = profile->samples.stacks.n;
	struct syc_timed_names timed;
	int r = syc_timed_names_begin(&timed, &profile->naming,
	                              &profile->processes, &profile->stacks);

	for (size_t i = 0; r == 0 && timed.n > 0 && i < n_samples; i++)
		r = syc_timed_names_apply(&timed,
		                          &profile->samples.stacks.items[i],
		                          profile->samples.times.items[i]);
	for (size_t i = 0;
	     r == 0 && timed.n > 0 && i < profile->allocations.items.n; i++) {
		struct syscap_profile_allocation *item =
			&profile->allocations.items.items[i];

		r = syc_timed_names_apply(&timed, &item->stack, item->time);
	}
	for (size_t i = 0; r == 0 && timed.n > 0 && i < profile->waits.n; i++)
		r = syc_timed_names_apply(&timed,
		                          &profile->waits.items[i].stack,
		                          profile->waits.items[i].time);
	for (size_t i = 0; r == 0 && timed.n > 0 && i < profile->crashes.n;
	     i++) {
		struct syscap_profile_crash *item = &profile->crashes.items[i];

		if (item->stack != SYSCAP_PROFILE_NONE)
			r = syc_timed_names_apply(&timed, &item->stack,
			                          item->time);
	}
	syc_timed_names_end(&timed);
	return r;
}

static void seal(struct syscap_profile *profile)
{
	profile->is_sealed = true;
	syc_stacks_seal(&profile->stacks);
}

int syscap_profile_settle(struct syscap_profile *profile)
{
	int r;

	if (profile->is_sealed)
		return 0;
	syc_processes_settle(&profile->processes);
	profile->unit = unit_of(profile);
	r = syc_naming_settle(&profile->naming, &profile->processes,
	                      &profile->stacks);
	if (r == 0)
		r = apply_timed_names(profile);
	if (r == 0 && profile->is_once)
		seal(profile);
	if (r == 0)
		r = syc_functions_settle(&profile->functions, &profile->texts);
	if (r == 0)
		r = syc_marks_settle(&profile->marks,
		                     profile->processes.threads.n);
	if (r == 0)
		r = syc_async_ops_settle(&profile->async_ops, &profile->marks,
		                         &profile->processes, &profile->span);
	if (r == 0)
		r = syc_counters_settle(&profile->counters);
	return r == 0 ? syc_allocations_settle(&profile->allocations,
	                                       &profile->processes)
	              : r;
}

/*
 * The second reading uses a second profile, which keeps no events.  The second
 * profile reads the same threads in the same order, so its numbers equal the
 * first profile's numbers.
 */

struct syscap_profile_walk {
	const struct syscap_profile *first;
	struct syscap_profile *second;
	struct syscap_reader *reader;
	struct syscap_frame frame;
	uint32_t thread;
	unsigned slot, n_slots; /* number of values in the frame */
	/* A cache by the low bits of the id. */
	struct memo {
		uint32_t process, id, counter;
	} memo[256];
};

int syscap_profile_walk_new(const struct syscap_profile *profile,
                            struct syscap_reader *reader,
                            struct syscap_profile_walk **ret_walk)
{
	const struct syscap_profile_options options = {
		.parts = profile->wanted,
		.no_lookup = true,
	};
	struct syscap_profile_walk *walk = calloc(1, sizeof(*walk));
	int r;

	if (walk == NULL)
		return -ENOMEM;
	walk->first = profile;
	walk->reader = reader;
	r = syscap_profile_new(&options, &walk->second);
	if (r < 0) {
		free(walk);
		return r;
	}
	walk->second->is_walk = true;
	syscap_reader_rewind(reader);
	*ret_walk = walk;
	return 0;
}

void syscap_profile_walk_free(struct syscap_profile_walk *walk)
{
	if (walk == NULL)
		return;
	syscap_profile_free(walk->second);
	free(walk);
}

/* Returns 1 with a frame, or 0 at the end of the first reading. */
static int take_next(struct syscap_profile_walk *walk)
{
	int r = -EILSEQ;

	while (r == -EILSEQ) {
		if (syscap_reader_tell(walk->reader) >= walk->first->position)
			return 0;
		r = syscap_reader_next(walk->reader, &walk->frame, NULL);
	}
	if (r <= 0)
		return 0;
	r = syscap_profile_add(walk->second, walk->reader, &walk->frame);
	return r < 0 ? r : 1;
}

int syscap_profile_walk_event(struct syscap_profile_walk *walk,
                              struct syscap_profile_event *ret_event)
{
	int r;

	walk->n_slots = 0;
	while ((r = take_next(walk)) > 0) {
		const size_t n_losses = walk->second->losses.n;

		walk->second->losses.n = 0;
		if (!syc_events_knows(walk->second, walk->frame.type))
			continue;
		walk->thread = walk->second->processes.last_thread;
		*ret_event = (struct syscap_profile_event){
			.frame = &walk->frame,
			.thread = walk->thread,
			.is_loss = n_losses > 0,
		};
		return 1;
	}
	return r;
}

/* Find the next frame with values.  Returns 1, 0 or -ENOMEM. */
static int find_values(struct syscap_profile_walk *walk)
{
	struct syscap_profile_event event;
	int r;

	do
		r = syscap_profile_walk_event(walk, &event);
	while (r > 0 && event.frame->type != SYSCAP_FRAME_CTRSET);
	walk->slot = 0;
	walk->n_slots = r > 0 ? 8u * walk->frame.ctrset.n_groups : 0;
	return r;
}

static uint32_t find_counter(struct syscap_profile_walk *walk, uint32_t id)
{
	const struct syscap_profile *first = walk->first;
	const uint32_t process =
		first->processes.threads.items[walk->thread].process;
	struct memo *memo = &walk->memo[id % 256];

	/* No counter has the id 0. */
	if (memo->id != id || memo->process != process)
		*memo = (struct memo){ process, id,
			               syc_counters_find(&first->counters,
			                                 process, id) };
	return memo->counter;
}

int syscap_profile_walk_value(struct syscap_profile_walk *walk,
                              struct syscap_profile_value *ret_value)
{
	uint32_t id;

	for (;;) {
		while (walk->slot < walk->n_slots &&
		       syscap_frame_slot(walk->reader, &walk->frame,
		                         walk->slot++, &id, &ret_value->bits)) {
			if (id == 0)
				continue;
			ret_value->time = walk->frame.time;
			ret_value->thread = walk->thread;
			ret_value->counter = find_counter(walk, id);
			return 1;
		}

		const int r = find_values(walk);
		if (r <= 0)
			return r;
	}
}
