/* SPDX-License-Identifier: BSD-2-Clause */
/* profile.c - take in a capture, frame by frame, and settle what it says. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/events.h"
#include "profile/model.h"
#include "profile/naming_times.h"

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
	syc_who_init(&profile->who);
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
	syc_who_fini(&profile->who);
	syc_marks_fini(&profile->marks);
	syc_parts_fini(&profile->parts);
	syc_counters_fini(&profile->counters);
	syc_logs_fini(&profile->logs);
	syc_allocations_fini(&profile->allocations);
	syc_texts_fini(&profile->texts);
	free(profile->samples.times.items);
	free(profile->samples.threads.items);
	free(profile->samples.stacks.items);
	free(profile->samples.ticks.items);
	free(profile->waits.items);
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
	r = syc_who_learn(&profile->who, &profile->texts, frame);
	if (r == 0)
		r = syc_naming_learn(&profile->naming, &profile->who, reader,
		                     frame);
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
	return 0;
}

int syscap_profile_read(struct syscap_profile *profile,
                        struct syscap_reader *reader,
                        struct syscap_error *error)
{
	const int r =
		syscap_profile_read_on(profile, reader, UINT64_MAX, error);

	return r > 0 ? 0 : r;
}

/* What samples count: time where each one's is known. */
static enum syscap_view_unit unit_of(const struct syscap_profile *profile)
{
	bool has_cpu = false, has_wall = false;

	for (size_t i = 0; i < profile->who.threads.n; i++) {
		const struct syscap_profile_thread *thread =
			&profile->who.threads.items[i];
		const struct syscap_profile_process *process =
			&profile->who.processes.items[thread->process];

		if (thread->n_samples == 0)
			continue;
		if (process->period_ns == 0)
			return SYSCAP_UNIT_TICKS;
		has_cpu |= process->clock == SYSCAP_CLOCK_CPU;
		has_wall |= process->clock == SYSCAP_CLOCK_WALL;
	}
	if (has_cpu && has_wall)
		return SYSCAP_UNIT_MIXED_NS;
	if (!has_cpu && !has_wall)
		return SYSCAP_UNIT_TICKS;
	return has_cpu ? SYSCAP_UNIT_CPU_NS : SYSCAP_UNIT_WALL_NS;
}

/* Names that were not the same all the time. */
static int look_again(struct syscap_profile *profile)
{
	const size_t n_samples = profile->samples.stacks.n;
	struct syc_again again;
	int r = syc_again_begin(&again, &profile->naming, &profile->who,
	                        &profile->stacks);

	for (size_t i = 0; r == 0 && again.n > 0 && i < n_samples; i++)
		r = syc_again_look(&again, &profile->samples.stacks.items[i],
		                   profile->samples.times.items[i]);
	for (size_t i = 0;
	     r == 0 && again.n > 0 && i < profile->allocations.items.n; i++) {
		struct syscap_profile_allocation *item =
			&profile->allocations.items.items[i];

		r = syc_again_look(&again, &item->stack, item->time);
	}
	for (size_t i = 0; r == 0 && again.n > 0 && i < profile->waits.n; i++)
		r = syc_again_look(&again, &profile->waits.items[i].stack,
		                   profile->waits.items[i].time);
	syc_again_end(&again);
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
	syc_who_settle(&profile->who);
	profile->unit = unit_of(profile);
	r = syc_naming_settle(&profile->naming, &profile->who,
	                      &profile->stacks);
	if (r == 0)
		r = look_again(profile);
	if (r == 0 && profile->is_once)
		seal(profile);
	if (r == 0)
		r = syc_functions_settle(&profile->functions, &profile->texts);
	if (r == 0)
		r = syc_marks_settle(&profile->marks, profile->who.threads.n);
	if (r == 0)
		r = syc_parts_settle(&profile->parts, &profile->marks,
		                     &profile->who, &profile->span);
	if (r == 0)
		r = syc_counters_settle(&profile->counters);
	return r == 0 ? syc_allocations_settle(&profile->allocations,
	                                       &profile->who)
	              : r;
}
