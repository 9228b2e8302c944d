/* SPDX-License-Identifier: BSD-2-Clause */
/* profile.c - take in a capture, frame by frame, and settle what it says. */
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/loss_record.h"
#include "capture/sample.h"
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
	profile->parts = options->parts ? options->parts : SYSCAP_PROFILE_ALL;
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
	syc_allocations_fini(&profile->allocations);
	syc_texts_fini(&profile->texts);
	free(profile->samples.times.items);
	free(profile->samples.threads.items);
	free(profile->samples.stacks.items);
	free(profile->samples.ticks.items);
	free(profile->losses.items);
	free(profile);
}

/* The span ends with the latest event.  What only describes may be written
 * long after it and does not count.  INT64_MIN: it is no event. */
static int64_t end_of(const struct syscap_frame *frame)
{
	int64_t end;

	switch (frame->type) {
	case SYSCAP_FRAME_MARK:
		if (frame->mark.duration <= 0 ||
		    __builtin_add_overflow(frame->time, frame->mark.duration,
		                           &end))
			return frame->time;
		return end;
	case SYSCAP_FRAME_SAMPLE:
	case SYSCAP_FRAME_MAP:
	case SYSCAP_FRAME_PROCESS:
	case SYSCAP_FRAME_FORK:
	case SYSCAP_FRAME_EXIT:
	case SYSCAP_FRAME_CTRSET:
	case SYSCAP_FRAME_LOG:
	case SYSCAP_FRAME_ALLOCATION:
	case SYSCAP_FRAME_TRACE:
	case SYSCAP_FRAME_DBUS_MESSAGE:
		return frame->time;
	default:
		return INT64_MIN;
	}
}

static int add_sample(struct syscap_profile *profile,
                      const struct syscap_reader *reader,
                      const struct syscap_frame *frame, uint32_t process,
                      uint32_t number)
{
	struct syscap_profile_thread *thread =
		&profile->who.threads.items[number];
	const struct syc_stack_source source = {
		.reader = reader,
		.frame = frame,
		.n_addrs = frame->sample.n_addrs,
		.flags = syc_sample_flags(frame, profile->is_foreign),
		.process = process,
	};
	const uint32_t ticks = syc_sample_weight(frame);
	struct syc_samples *samples = &profile->samples;
	uint32_t stack;
	int r = syc_stacks_put(&profile->stacks, &source, &stack);

	if (r < 0)
		return r;
	if (syc_array_room(&samples->times) < 0 ||
	    syc_array_room(&samples->threads) < 0 ||
	    syc_array_room(&samples->stacks) < 0 ||
	    syc_array_push(&samples->ticks, ticks) < 0)
		return -ENOMEM;
	samples->times.items[samples->times.n++] = frame->time;
	samples->threads.items[samples->threads.n++] = number;
	samples->stacks.items[samples->stacks.n++] = stack;
	thread->n_samples++;
	thread->ticks += ticks;
	return 0;
}

static int add_allocation(struct syscap_profile *profile,
                          const struct syscap_reader *reader,
                          const struct syscap_frame *frame, uint32_t process,
                          uint32_t thread)
{
	const struct syc_stack_source source = {
		.reader = reader,
		.frame = frame,
		.n_addrs = frame->allocation.n_addrs,
		.flags = syc_allocation_flags(frame, profile->is_foreign),
		.process = process,
	};
	struct syscap_profile_allocation allocation = {
		.time = frame->time,
		.address = frame->allocation.addr,
		.size = frame->allocation.size,
		.thread = thread,
		.ended_by = NONE,
	};
	int r = syc_stacks_put(&profile->stacks, &source, &allocation.stack);

	if (r < 0)
		return r;
	if (profile->allocations.items.n >= NONE)
		return -ENOMEM;
	profile->who.threads.items[thread].n_allocations++;
	return syc_array_push(&profile->allocations.items, allocation);
}

static int add_loss(struct syscap_profile *profile,
                    const struct syscap_frame *frame, uint32_t process,
                    const struct syc_loss *told)
{
	struct syscap_profile_loss loss = {
		.begin = frame->time,
		.end = end_of(frame),
		.frames = told->total,
		.samples = told->frames[SYSCAP_FRAME_SAMPLE],
		.bytes = told->bytes,
	};

	if (syc_who_thread(&profile->who, process, told->tid, loss.begin,
	                   loss.end, &loss.thread) < 0)
		return -ENOMEM;
	return syc_array_push(&profile->losses, loss);
}

static int add_mark(struct syscap_profile *profile,
                    const struct syscap_frame *frame, uint32_t process)
{
	struct syc_loss loss;
	uint32_t thread;
	int r;

	if (syc_loss_record_is(frame->mark.group, frame->mark.name) &&
	    syc_loss_record_parse(frame->mark.message, &loss))
		return add_loss(profile, frame, process, &loss);
	if ((profile->parts & SYSCAP_PROFILE_MARKS) == 0)
		return 0;
	r = syc_who_thread(&profile->who, process, frame->tid, frame->time,
	                   end_of(frame), &thread);
	if (r < 0)
		return r;
	profile->who.threads.items[thread].n_marks++;
	return syc_marks_add(&profile->marks, &profile->texts, frame, thread);
}

static int add_event(struct syscap_profile *profile,
                     const struct syscap_reader *reader,
                     const struct syscap_frame *frame, int64_t end)
{
	uint32_t process, thread;
	int r = syc_who_process(&profile->who, frame->pid, frame->time,
	                        &process);

	if (r < 0)
		return r;
	syc_who_saw(&profile->who, process, frame->time, end);
	if (frame->type == SYSCAP_FRAME_MARK)
		return add_mark(profile, frame, process);
	if (!(frame->type == SYSCAP_FRAME_SAMPLE &&
	      (profile->parts & SYSCAP_PROFILE_SAMPLES) != 0) &&
	    !(frame->type == SYSCAP_FRAME_ALLOCATION &&
	      (profile->parts & SYSCAP_PROFILE_ALLOCATIONS) != 0))
		return 0;
	r = syc_who_thread(&profile->who, process, frame->tid, frame->time, end,
	                   &thread);
	if (r < 0)
		return r;
	return frame->type == SYSCAP_FRAME_SAMPLE
	               ? add_sample(profile, reader, frame, process, thread)
	               : add_allocation(profile, reader, frame, process,
	                                thread);
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
	const int64_t end = end_of(frame);
	int r;

	if (!profile->has_span)
		learn_span(profile, reader);
	profile->span.n_frames++;
	r = syc_who_learn(&profile->who, &profile->texts, frame);
	if (r == 0)
		r = syc_naming_learn(&profile->naming, &profile->who, reader,
		                     frame);
	if (r < 0 || end == INT64_MIN)
		return r;
	if (end > profile->span.end)
		profile->span.end = end;
	return frame->pid < 0 ? 0 : add_event(profile, reader, frame, end);
}

int syscap_profile_read(struct syscap_profile *profile,
                        struct syscap_reader *reader,
                        struct syscap_error *error)
{
	struct syscap_frame frame;
	int r;

	learn_span(profile, reader);
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
	}
	return 0;
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
	syc_again_end(&again);
	return r;
}

int syscap_profile_settle(struct syscap_profile *profile)
{
	int r;

	syc_who_settle(&profile->who);
	profile->unit = unit_of(profile);
	r = syc_naming_settle(&profile->naming, &profile->who,
	                      &profile->stacks);
	if (r == 0)
		r = look_again(profile);
	if (r == 0)
		r = syc_functions_settle(&profile->functions, &profile->texts);
	if (r == 0)
		r = syc_marks_settle(&profile->marks);
	return r == 0 ? syc_allocations_settle(&profile->allocations,
	                                       &profile->who)
	              : r;
}
