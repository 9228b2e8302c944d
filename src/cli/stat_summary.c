/* SPDX-License-Identifier: BSD-2-Clause */
/* stat_summary.c - what `syscap stat` shows, collected in one walk. */
#include "cli/stat_summary.h"

void syc_stat_summary_init(struct syc_stat_summary *summary,
                           const struct syscap_reader *reader)
{
	memset(summary, 0, sizeof(*summary));
	syscap_reader_info(reader, &summary->info);
	summary->begin = summary->info.begin;
	summary->end = INT64_MIN;
}

void syc_stat_summary_fini(struct syc_stat_summary *summary)
{
	syc_process_list_fini(&summary->processes);
	syc_loss_stats_fini(&summary->losses);
	syc_mark_stats_fini(&summary->marks);
	syc_counter_stats_fini(&summary->counters);
}

/*
 * The span ends with the latest event.  What only describes, such as files,
 * names and definitions, may be written long after it and does not count.
 */
static void extend_span(struct syc_stat_summary *summary,
                        const struct syscap_frame *frame)
{
	int64_t end = frame->time;

	switch (frame->type) {
	case SYSCAP_FRAME_MARK:
		end = syc_loss_stats_mark_end(frame);
		break;
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
		break;
	default:
		return;
	}
	if (end > summary->end)
		summary->end = end;
}

static int add_mark(struct syc_stat_summary *summary,
                    const struct syscap_frame *frame)
{
	struct syc_loss loss;

	if (!syc_loss_record_is(frame->mark.group, frame->mark.name) ||
	    !syc_loss_record_parse(frame->mark.message, &loss))
		return summary->is_filtered
		               ? 0
		               : syc_mark_stats_add(&summary->marks,
		                                    frame->mark.group,
		                                    frame->mark.name,
		                                    frame->mark.duration);
	if (syc_loss_stats_add(&summary->losses, frame, &loss) < 0)
		return -ENOMEM;
	return syc_process_list_add_thread(&summary->processes, frame->pid,
	                                   loss.tid);
}

int syc_stat_summary_add(struct syc_stat_summary *summary,
                         const struct syscap_reader *reader,
                         const struct syscap_frame *frame)
{
	const bool is_known = syscap_frame_type_name(frame->type) != NULL;

	summary->n_frames++;
	summary->frames[is_known ? frame->type : 0]++;
	extend_span(summary, frame);
	if (syc_process_list_add(&summary->processes, frame) < 0)
		return -ENOMEM;

	switch (frame->type) {
	case SYSCAP_FRAME_SAMPLE:
		syc_sample_stats_add(&summary->samples, frame,
		                     summary->info.foreign_order);
		return 0;
	case SYSCAP_FRAME_MARK:
		return add_mark(summary, frame);
	case SYSCAP_FRAME_CTRDEF:
		return syc_counter_stats_define(&summary->counters, reader,
		                                frame);
	case SYSCAP_FRAME_CTRSET:
		return summary->is_filtered
		               ? 0
		               : syc_counter_stats_set(&summary->counters,
		                                       reader, frame);
	case SYSCAP_FRAME_LOG:
		if (!summary->is_filtered)
			summary->logs[syc_severity_index(
				frame->log.severity)]++;
		return 0;
	default:
		return 0;
	}
}

int syc_stat_summary_finish(struct syc_stat_summary *summary)
{
	if (summary->end <= summary->begin)
		summary->end = summary->info.end;
	if (summary->end < summary->begin)
		summary->end = summary->begin;
	syc_process_list_finish(&summary->processes);
	syc_loss_stats_finish(&summary->losses);
	syc_mark_stats_finish(&summary->marks);
	return syc_counter_stats_finish(&summary->counters);
}

int64_t syc_stat_summary_duration(const struct syc_stat_summary *summary)
{
	int64_t duration;

	if (__builtin_sub_overflow(summary->end, summary->begin, &duration))
		return INT64_MAX;
	return duration;
}
