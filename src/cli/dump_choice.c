/* SPDX-License-Identifier: BSD-2-Clause */
/* dump_choice.c - which frames `syscap dump` shows, in which order, and what
 * their addresses are. */
#include "cli/dump_choice.h"

#include "capture/sample.h"

/* Threads are known by what they did, of any kind. */
static unsigned wanted_parts(const struct syc_filter_options *options)
{
	unsigned parts = SYSCAP_PROFILE_SAMPLES | SYSCAP_PROFILE_ALLOCATIONS;

	if (options->filter.thread != NULL)
		return SYSCAP_PROFILE_BUT_VALUES;
	if (syc_filter_options_has_marks(options))
		parts |= SYSCAP_PROFILE_MARKS;
	return parts;
}

int syc_dump_choice_init(struct syc_dump_choice *choice,
                         struct syscap_reader *reader,
                         struct syc_filter_options *options,
                         struct syscap_error *error)
{
	const struct syscap_profile_options parts = {
		.parts = wanted_parts(options),
		.no_lookup = true,
	};
	struct syscap_profile_span span;
	int r = syscap_profile_new(&parts, &choice->profile);

	if (r == 0)
		r = syscap_profile_read(choice->profile, reader, NULL);
	/* What can't be read is told when it is shown */
	if (r == -EBADMSG)
		r = 0;
	if (r == 0)
		r = syscap_profile_settle(choice->profile);
	if (r < 0)
		return r;
	syscap_reader_rewind(reader);
	syscap_profile_span(choice->profile, &span);
	syc_filter_options_settle(options, span.begin);
	choice->filter = &options->filter;
	return syscap_view_new(choice->profile, &options->filter, &choice->view,
	                       error);
}

void syc_dump_choice_fini(struct syc_dump_choice *choice)
{
	syscap_view_free(choice->view);
	syscap_profile_free(choice->profile);
	free(choice->noted.items);
}

/* What has no stack: by thread and time.  A thread that only describes is not
 * in the profile. */
static bool has_event(const struct syc_dump_choice *choice,
                      const struct syscap_frame *frame)
{
	const struct syscap_filter *filter = choice->filter;
	const uint32_t thread = syscap_profile_find_thread(
		choice->profile, frame->pid, frame->tid, frame->time);

	if (thread != SYSCAP_PROFILE_NONE)
		return syscap_view_has(choice->view, thread, frame->time);
	return filter->thread == NULL &&
	       (filter->pid == 0 || filter->pid == frame->pid) &&
	       (!filter->has_from || frame->time >= filter->from) &&
	       (!filter->has_to || frame->time < filter->to);
}

bool syc_dump_choice_has(struct syc_dump_choice *choice,
                         const struct syscap_frame *frame, uint32_t *ret_stack)
{
	const struct syscap_profile_allocation *allocations;
	const struct syscap_profile_wait *waits;
	struct syscap_profile_samples samples;
	size_t n, i;

	*ret_stack = SYSCAP_PROFILE_NONE;
	if (choice->profile == NULL)
		return true;
	if (frame->type == SYSCAP_FRAME_SAMPLE &&
	    syc_sample_is_wait(frame->padding2)) {
		i = choice->n_waits++;
		waits = syscap_profile_waits(choice->profile, &n);
		*ret_stack = waits[i].stack;
	} else if (frame->type == SYSCAP_FRAME_SAMPLE) {
		i = choice->n_samples++;
		syscap_profile_samples(choice->profile, &samples);
		*ret_stack = samples.stacks[i];
		return (choice->view->passed[i / 64] >> i % 64 & 1) != 0;
	} else if (frame->type == SYSCAP_FRAME_ALLOCATION) {
		i = choice->n_allocations++;
		allocations = syscap_profile_allocations(choice->profile, &n);
		*ret_stack = allocations[i].stack;
	}
	return has_event(choice, frame);
}

int syc_dump_choice_note(struct syc_dump_choice *choice,
                         const struct syscap_frame *frame, uint32_t stack)
{
	const struct syc_dump_noted noted = { frame->time, frame->offset,
		                              stack };

	return syc_array_push(&choice->noted, noted);
}

static int compare(const void *one, const void *other)
{
	const struct syc_dump_noted *a = one, *b = other;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

void syc_dump_choice_sort(struct syc_dump_choice *choice)
{
	if (choice->noted.n > 0)
		qsort(choice->noted.items, choice->noted.n,
		      sizeof(*choice->noted.items), compare);
}
