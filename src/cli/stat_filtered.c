/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_filtered.c - marks, counters and logs of `syscap stat` under a filter:
 * a second walk, of whose events the model knows who they are of.
 */
#include "cli/stat_filtered.h"

bool syc_stat_filtered_is(const struct syscap_filter *filter)
{
	return filter->has_from || filter->has_to || filter->pid != 0 ||
	       filter->thread != NULL;
}

static int add_event(struct syc_stat_summary *summary,
                     const struct syscap_reader *reader,
                     const struct syscap_profile_event *event)
{
	const struct syscap_frame *frame = event->frame;

	switch (frame->type) {
	case SYSCAP_FRAME_MARK:
		return event->is_loss
		               ? 0
		               : syc_mark_stats_add(&summary->marks,
		                                    frame->mark.group,
		                                    frame->mark.name,
		                                    frame->mark.duration);
	case SYSCAP_FRAME_CTRSET:
		return syc_counter_stats_set(&summary->counters, reader, frame);
	case SYSCAP_FRAME_LOG:
		summary->logs[syc_severity_index(frame->log.severity)]++;
		return 0;
	default:
		return 0;
	}
}

int syc_stat_filtered_add(struct syc_stat_summary *summary,
                          const struct syscap_profile *profile,
                          const struct syscap_view *view,
                          struct syscap_reader *reader)
{
	struct syscap_profile_walk *walk;
	struct syscap_profile_event event;
	int r = syscap_profile_walk_new(profile, reader, &walk);

	if (r < 0)
		return r;
	while (r == 0 && (r = syscap_profile_walk_event(walk, &event)) > 0)
		r = syscap_view_has(view, event.thread, event.frame->time)
		            ? add_event(summary, reader, &event)
		            : 0;
	syscap_profile_walk_free(walk);
	return r;
}
