/* SPDX-License-Identifier: BSD-2-Clause */
/* events.c - events in frames: samples, marks, counter values, log lines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/frame.h"
#include "capture/losses.h"
#include "profile/model.h"

#define NONE SYSCAP_PROFILE_NONE

/* Most crashes at the same time. */
#define CRASHES_MOST 64u

/* The profile part of a frame type with a thread and its own array; 0: none. */
static unsigned part_of(uint8_t type)
{
	switch (type) {
	case SYSCAP_FRAME_SAMPLE:
		return SYSCAP_PROFILE_SAMPLES;
	case SYSCAP_FRAME_MARK:
		return SYSCAP_PROFILE_MARKS;
	case SYSCAP_FRAME_ALLOCATION:
		return SYSCAP_PROFILE_ALLOCATIONS;
	case SYSCAP_FRAME_CTRSET:
		return SYSCAP_PROFILE_COUNTERS;
	case SYSCAP_FRAME_LOG:
		return SYSCAP_PROFILE_LOGS;
	default:
		return 0;
	}
}

static bool keeps(const struct syscap_profile *profile, uint8_t type)
{
	return !profile->is_walk && (profile->wanted & part_of(type)) != 0;
}

bool syc_events_knows(const struct syscap_profile *profile, uint8_t type)
{
	const unsigned part = part_of(type);

	return (profile->wanted & part) != 0 ||
	       (part != 0 && (profile->wanted & SYSCAP_PROFILE_THREADS) != 0);
}

/* Frames without a process have the pid -1. */
static int32_t pid_of(const struct syscap_frame *frame)
{
	return frame->pid < 0 ? -1 : frame->pid;
}

/* Key of a thread that waited. */
struct waiting_thread {
	uint32_t process;
	int32_t tid;
};

/* Keep the number of the thread's latest wait.  Returns 0 or -ENOMEM. */
static int note_wait(struct syscap_profile *profile, uint32_t process,
                     int32_t tid)
{
	const struct waiting_thread key = { process, tid };
	size_t number;
	int r = syc_map_put(&profile->waiting_threads, &key, sizeof(key),
	                    &number);

	if (r > 0)
		r = syc_array_push(&profile->last_waits, 0);
	if (r < 0)
		return -ENOMEM;
	profile->last_waits.items[number] = profile->waits.n;
	return 0;
}

/*
 * Get the duration of a call that blocked from its mark, which follows in the
 * same thread.  The mark states ns.  The stack states at least 1 µs, and longer
 * durations rounded down to a multiple of a step.
 */
static void take_duration(struct syscap_profile *profile,
                          const struct syscap_frame *frame, uint32_t process)
{
	const struct waiting_thread key = { process, frame->tid };
	int64_t time = frame->time, duration = frame->mark.duration;
	struct syscap_profile_wait *wait;
	int64_t step = 1000;
	size_t number;

	if ((strcmp(frame->mark.group, "io") != 0 &&
	     strcmp(frame->mark.group, "io-main") != 0) ||
	    !syc_map_get(&profile->waiting_threads, &key, sizeof(key),
	                 &number) ||
	    !syc_marks_cut(profile->span.begin, &time, &duration))
		return;
	wait = &profile->waits.items[profile->last_waits.items[number]];
	while (wait->duration >= step << 20)
		step *= 2;
	if (wait->time == time && duration < wait->duration + step &&
	    (duration >= wait->duration || wait->duration == 1000))
		wait->duration = duration;
}

static int add_wait(struct syscap_profile *profile,
                    const struct syscap_frame *frame, uint32_t stack,
                    uint32_t process, uint32_t thread)
{
	struct syscap_profile_wait wait = {
		.time = frame->time,
		.duration = syc_sample_wait_ns(frame->padding2),
		.thread = thread,
		.stack = stack,
		.is_stall = (frame->padding2 & SYSCAP_WEIGHT_TAG_MASK) ==
		            SYSCAP_STALLED_TAG,
	};

	/*
	 * Limit the wait to the recording, like the mark of the wait.  A stall
	 * ends at the time of its frame.
	 */
	if (!syc_marks_cut(profile->span.begin, &wait.time, &wait.duration) ||
	    (wait.is_stall && frame->time < profile->span.begin))
		return 0;
	if (!wait.is_stall && note_wait(profile, process, frame->tid) < 0)
		return -ENOMEM;
	return syc_array_push(&profile->waits, wait);
}

/* Add the crash of a log message, or of a stack whose message was lost. */
static int add_crash(struct syscap_profile *profile,
                     const struct syscap_frame *frame, uint32_t thread,
                     uint32_t stack, const char *message)
{
	struct syscap_profile_crash crash = {
		.time = frame->time,
		.thread = thread,
		.stack = stack,
	};
	const int r = syc_texts_keep(&profile->texts, message, strlen(message),
	                             &crash.message);

	return r == 0 ? syc_array_push(&profile->crashes, crash) : r;
}

/* The message of the crash precedes its stack in the same thread. */
static int add_crash_stack(struct syscap_profile *profile,
                           const struct syscap_frame *frame, uint32_t thread,
                           uint32_t stack)
{
	const size_t n = profile->crashes.n;

	for (size_t i = 0; i < n && i < CRASHES_MOST; i++) {
		struct syscap_profile_crash *crash =
			&profile->crashes.items[n - 1 - i];

		if (crash->thread == thread && crash->stack == NONE) {
			crash->stack = stack;
			return 0;
		}
	}
	return add_crash(profile, frame, thread, stack, "");
}

static int add_sample(struct syscap_profile *profile,
                      const struct syscap_reader *reader,
                      const struct syscap_frame *frame, uint32_t process,
                      uint32_t number)
{
	struct syscap_profile_thread *thread =
		&profile->processes.threads.items[number];
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
	if (syc_sample_is_wait(frame->padding2))
		return add_wait(profile, frame, stack, process, number);
	if (syc_sample_is_crash(frame->padding2))
		return add_crash_stack(profile, frame, number, stack);
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
	profile->processes.threads.items[thread].n_allocations++;
	return syc_array_push(&profile->allocations.items, allocation);
}

static int add_loss(struct syscap_profile *profile,
                    const struct syscap_frame *frame, uint32_t process,
                    const struct syc_loss *told)
{
	struct syscap_profile_loss loss = {
		.begin = frame->time,
		.end = syc_frame_last_time(frame),
		.frames = told->total,
		.samples = told->frames[SYSCAP_FRAME_SAMPLE],
		.bytes = told->bytes,
	};

	if (syc_processes_get_thread(&profile->processes, process, told->tid,
	                             loss.begin, loss.end, &loss.thread) < 0)
		return -ENOMEM;
	return syc_array_push(&profile->losses, loss);
}

static int keep_mark(struct syscap_profile *profile,
                     const struct syscap_frame *frame, uint32_t thread,
                     bool is_false)
{
	struct syscap_profile_part part = {
		.mark = (uint32_t)profile->marks.items.n,
		.operation = NONE,
	};
	const bool is_part = syc_async_part_read(frame->mark.message, &part);
	int64_t time = frame->time, duration = frame->mark.duration;
	bool is_omitted;
	int r;

	profile->has_early_marks |= frame->time < profile->span.begin;
	is_omitted = is_false ||
	             !syc_marks_cut(profile->span.begin, &time, &duration);
	/* An operation in the recording may begin before the recording and end
	 * after it, so keep both parts */
	if (is_part && part.phase == SYSCAP_PHASE_BEGIN)
		is_omitted = false;
	if (frame->time < profile->span.begin) {
		profile->n_omitted_marks += is_omitted;
		profile->n_cut_marks += !is_omitted;
	}
	if (is_part && part.phase == SYSCAP_PHASE_END)
		is_omitted = false;
	if (is_omitted)
		return 0;
	r = syc_marks_add(&profile->marks, &profile->texts, frame, time,
	                  duration, thread,
	                  is_part ? (uint32_t)profile->async_ops.items.n : NONE,
	                  is_part && part.phase == SYSCAP_PHASE_WHOLE);
	return r == 0 && is_part
	               ? syc_array_push(&profile->async_ops.items, part)
	               : r;
}

static int add_mark(struct syscap_profile *profile,
                    const struct syscap_frame *frame, uint32_t process,
                    bool is_false)
{
	const int64_t end = syc_frame_last_time(frame);
	struct syc_loss loss;
	uint32_t thread;
	int r;

	if (syc_losses_read(frame, &loss))
		return add_loss(profile, frame, process, &loss);
	if (!profile->is_walk)
		take_duration(profile, frame, process);
	if (!syc_events_knows(profile, SYSCAP_FRAME_MARK))
		return 0;
	r = syc_processes_get_thread(&profile->processes, process, frame->tid,
	                             is_false ? end : frame->time, end,
	                             &thread);
	if (r < 0)
		return r;
	profile->processes.threads.items[thread].n_marks++;
	if (!keeps(profile, SYSCAP_FRAME_MARK))
		return 0;
	return keep_mark(profile, frame, thread, is_false);
}

static int add_values(struct syscap_profile *profile,
                      const struct syscap_reader *reader,
                      const struct syscap_frame *frame, uint32_t process,
                      uint32_t thread)
{
	profile->processes.threads.items[thread].n_values +=
		frame->ctrset.n_values;
	return syc_counters_set(&profile->counters, reader, frame, process,
	                        thread,
	                        (profile->wanted & SYSCAP_PROFILE_VALUES) != 0);
}

static int add_log(struct syscap_profile *profile,
                   const struct syscap_frame *frame, uint32_t thread)
{
	struct syscap_profile_log log = {
		.time = frame->time,
		.offset = frame->offset,
		.thread = thread,
		.severity = frame->log.severity,
	};
	int r = syc_texts_keep(&profile->texts, frame->log.domain,
	                       strlen(frame->log.domain), &log.domain);

	profile->processes.threads.items[thread].n_logs++;
	return r == 0 ? syc_array_push(&profile->logs, log) : r;
}

/* Messages of crashes are kept with any part. */
static int add_crash_message(struct syscap_profile *profile,
                             const struct syscap_frame *frame, uint32_t process)
{
	uint32_t thread;

	if (profile->is_walk || frame->type != SYSCAP_FRAME_LOG ||
	    strcmp(frame->log.domain, "syscap.crash") != 0)
		return 0;
	if (syc_processes_get_thread(&profile->processes, process, frame->tid,
	                             frame->time, frame->time, &thread) < 0)
		return -ENOMEM;
	return add_crash(profile, frame, thread, NONE, frame->log.message);
}

static int add_threaded(struct syscap_profile *profile,
                        const struct syscap_reader *reader,
                        const struct syscap_frame *frame, uint32_t process)
{
	uint32_t thread;
	int r = syc_processes_get_thread(&profile->processes, process,
	                                 frame->tid, frame->time, frame->time,
	                                 &thread);

	if (r < 0 || !keeps(profile, frame->type))
		return r;
	switch (frame->type) {
	case SYSCAP_FRAME_SAMPLE:
		return add_sample(profile, reader, frame, process, thread);
	case SYSCAP_FRAME_ALLOCATION:
		return add_allocation(profile, reader, frame, process, thread);
	case SYSCAP_FRAME_CTRSET:
		return add_values(profile, reader, frame, process, thread);
	default:
		return add_log(profile, frame, thread);
	}
}

static int define(struct syscap_profile *profile,
                  const struct syscap_reader *reader,
                  const struct syscap_frame *frame)
{
	uint32_t process;
	int r;

	if ((profile->wanted & SYSCAP_PROFILE_COUNTERS) == 0)
		return 0;
	r = syc_processes_get(&profile->processes, pid_of(frame), frame->time,
	                      &process);
	return r == 0 && !profile->is_walk
	               ? syc_counters_define(&profile->counters,
	                                     &profile->texts, reader, frame,
	                                     process)
	               : r;
}

int syc_events_add(struct syscap_profile *profile,
                   const struct syscap_reader *reader,
                   const struct syscap_frame *frame)
{
	const int64_t end = syc_frame_last_time(frame);
	uint32_t process;
	bool is_false;
	int r;

	if (frame->type == SYSCAP_FRAME_CTRDEF)
		return define(profile, reader, frame);
	if (!syc_frame_is_event(frame->type))
		return 0;
	if (end > profile->span.end)
		profile->span.end = end;
	if (frame->pid < 0 && part_of(frame->type) == 0)
		return 0;
	r = syc_processes_get(&profile->processes, pid_of(frame), frame->time,
	                      &process);
	if (r < 0)
		return r;
	is_false = syc_processes_is_false_mark(&profile->processes, frame);
	syc_processes_note_event(&profile->processes, process,
	                         is_false ? end : frame->time, end);
	if (frame->type == SYSCAP_FRAME_MARK)
		return add_mark(profile, frame, process, is_false);
	r = add_crash_message(profile, frame, process);
	return r == 0 && syc_events_knows(profile, frame->type)
	               ? add_threaded(profile, reader, frame, process)
	               : r;
}
