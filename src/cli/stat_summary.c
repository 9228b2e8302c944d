/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_summary.c - the numbers of `syscap stat`: processes, threads, losses,
 * samples, events.
 *
 * One walk over the capture collects all numbers.
 */
#include "cli/stat_summary.h"

#include <stdio.h>
#include <string.h>

#include "capture/frame.h"
#include "capture/losses.h"
#include "profile/model.h"

static void process_list_fini(struct syc_process_list *processes)
{
	for (size_t i = 0; i < processes->processes.n; i++)
		free(processes->processes.items[i].threads.items);
	free(processes->processes.items);
	free(processes->places.items);
	syc_map_fini(&processes->by_pid);
	syc_map_fini(&processes->by_thread);
}

static int find_process(struct syc_process_list *processes, int32_t pid,
                        struct syc_listed_process **ret_process)
{
	size_t number;

	const int r =
		syc_map_put(&processes->by_pid, &pid, sizeof(pid), &number);
	if (r < 0)
		return r;
	if (r > 0) {
		const struct syc_listed_process process = { .pid = pid };

		if (syc_array_push(&processes->processes, process) < 0)
			return -ENOMEM;
	}
	*ret_process = &processes->processes.items[number];
	return 0;
}

static int find_thread(struct syc_process_list *processes,
                       struct syc_listed_process *process, int32_t tid)
{
	const struct syc_listed_thread thread = { .tid = tid,
		                                  .name = "",
		                                  .name_time = INT64_MIN };
	const int32_t key[2] = { process->pid, tid };
	size_t number;
	const int r =
		syc_map_put(&processes->by_thread, key, sizeof(key), &number);

	if (r <= 0)
		return r;
	return syc_array_push(&processes->places, process->threads.n) < 0 ||
	                       syc_array_push(&process->threads, thread) < 0
	               ? -ENOMEM
	               : 0;
}

/* Record that @tid of @pid exists; negative numbers are skipped. */
static int process_list_add_thread(struct syc_process_list *processes,
                                   int32_t pid, int32_t tid)
{
	struct syc_listed_process *process;
	int r;

	if (processes->has_last && processes->last_pid == pid &&
	    processes->last_tid == tid)
		return 0;
	if (pid < 0)
		return 0;
	r = find_process(processes, pid, &process);
	if (r == 0 && tid > 0)
		r = find_thread(processes, process, tid);
	if (r < 0)
		return r;
	processes->last_pid = pid;
	processes->last_tid = tid;
	processes->has_last = true;
	return 0;
}

/* Read the name of a thread from a METADATA frame. */
static int learn_name(struct syc_process_list *processes,
                      const struct syscap_frame *frame)
{
	const int32_t key[2] = { frame->pid, frame->tid };
	struct syc_listed_process *process;
	struct syc_listed_thread *thread;
	size_t number;
	const int r = find_process(processes, frame->pid, &process);

	if (r < 0 ||
	    !syc_map_get(&processes->by_thread, key, sizeof(key), &number))
		return r;
	thread = &process->threads.items[processes->places.items[number]];
	if (frame->time >= thread->name_time) {
		thread->name = frame->metadata.value;
		thread->name_time = frame->time;
	}
	return 0;
}

/*
 * Record the thread and process of a frame.  Skip TIMESTAMP frames, unknown
 * frames, and JITMAP frames, whose pid is the writer's.  Returns 0 or -ENOMEM.
 */
static int process_list_add(struct syc_process_list *processes,
                            const struct syscap_frame *frame)
{
	struct syc_listed_process *process;
	int r;

	if (frame->type == SYSCAP_FRAME_TIMESTAMP ||
	    frame->type == SYSCAP_FRAME_JITMAP ||
	    !syscap_frame_type_name(frame->type))
		return 0;
	r = process_list_add_thread(processes, frame->pid, frame->tid);
	if (r < 0 || frame->pid < 0)
		return r;
	if (frame->type == SYSCAP_FRAME_METADATA &&
	    strcmp(frame->metadata.id, "syscap.thread") == 0)
		return learn_name(processes, frame);
	if (frame->type != SYSCAP_FRAME_PROCESS)
		return 0;

	r = find_process(processes, frame->pid, &process);
	if (r < 0)
		return r;
	if (!process->cmdline || frame->time >= process->cmdline_time) {
		process->cmdline = frame->process.cmdline;
		process->cmdline_time = frame->time;
	}
	return 0;
}

static int compare_processes(const void *left, const void *right)
{
	const struct syc_listed_process *a = left, *b = right;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

static int compare_tids(const void *left, const void *right)
{
	const struct syc_listed_thread *a = left, *b = right;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

/* Sort by pid, and the threads by tid. */
static void process_list_finish(struct syc_process_list *processes)
{
	for (size_t i = 0; i < processes->processes.n; i++) {
		struct syc_listed_process *process =
			&processes->processes.items[i];

		if (process->threads.n)
			qsort(process->threads.items, process->threads.n,
			      sizeof(*process->threads.items), compare_tids);
	}
	if (processes->processes.n)
		qsort(processes->processes.items, processes->processes.n,
		      sizeof(*processes->processes.items), compare_processes);
}

static void loss_stats_fini(struct syc_loss_stats *losses)
{
	syc_map_fini(&losses->by_thread);
	free(losses->threads.items);
}

/* End of the mark @frame; the sum never wraps. */
static int64_t loss_stats_mark_end(const struct syscap_frame *frame)
{
	int64_t end;

	if (frame->mark.duration < 0)
		return frame->time;
	if (__builtin_add_overflow(frame->time, frame->mark.duration, &end))
		return INT64_MAX;
	return end;
}

/* Add @loss, which @frame reports.  Returns 0 or -ENOMEM. */
static int loss_stats_add(struct syc_loss_stats *losses,
                          const struct syscap_frame *frame,
                          const struct syc_loss *loss)
{
	const int32_t tid = loss->tid > 0 ? loss->tid : -1;
	const int32_t key[2] = { frame->pid, tid };
	const int64_t end = loss_stats_mark_end(frame);
	size_t number;

	const int r =
		syc_map_put(&losses->by_thread, key, sizeof(key), &number);
	if (r < 0)
		return r;
	if (r > 0) {
		const struct syc_thread_loss thread = {
			.pid = frame->pid,
			.tid = tid,
			.from = frame->time,
			.to = end,
		};

		if (syc_array_push(&losses->threads, thread) < 0)
			return -ENOMEM;
	}

	struct syc_thread_loss *thread = &losses->threads.items[number];
	if (frame->time < thread->from)
		thread->from = frame->time;
	if (end > thread->to)
		thread->to = end;
	syc_losses_count_up(&thread->frames, loss->total);
	syc_losses_count_up(&thread->bytes, loss->bytes);
	syc_losses_add(&losses->sum, loss);
	return 0;
}

static int compare_threads(const void *left, const void *right)
{
	const struct syc_thread_loss *a = left, *b = right;

	if (a->pid != b->pid)
		return (a->pid > b->pid) - (a->pid < b->pid);
	return (a->tid > b->tid) - (a->tid < b->tid);
}

/* Sort by pid and tid. */
static void loss_stats_finish(struct syc_loss_stats *losses)
{
	if (losses->threads.n)
		qsort(losses->threads.items, losses->threads.n,
		      sizeof(*losses->threads.items), compare_threads);
}

static void syc_sample_stats_add(struct syc_sample_stats *stats,
                                 const struct syscap_frame *frame,
                                 bool is_foreign)
{
	const unsigned flags = syc_sample_flags(frame, is_foreign);

	if (!syc_sample_is_of_timer(frame->padding2))
		return; /* a wait also has a mark, and a crash a message */
	stats->count++;
	stats->weight += syc_sample_weight(frame);
	if (frame->sample.n_addrs == 0)
		stats->without_stack += syc_sample_weight(frame);
	stats->cut += (flags & SYSCAP_STACK_CUT) != 0;
	stats->stopped += (flags & SYSCAP_STACK_STOPPED) != 0;
}

void syc_stat_summary_init(struct syc_stat_summary *summary,
                           const struct syscap_reader *reader)
{
	memset(summary, 0, sizeof(*summary));
	syscap_reader_info(reader, &summary->info);
	summary->begin = summary->info.begin;
	summary->marks.begin = summary->info.begin;
	summary->end = INT64_MIN;
}

void syc_stat_summary_fini(struct syc_stat_summary *summary)
{
	process_list_fini(&summary->processes);
	loss_stats_fini(&summary->losses);
	syc_mark_stats_fini(&summary->marks);
	syc_counter_stats_fini(&summary->counters);
}

/*
 * The span ends with the latest event.  Metadata, such as files, names and
 * definitions, may be written long after that event and does not count.
 */
static void extend_span(struct syc_stat_summary *summary,
                        const struct syscap_frame *frame)
{
	int64_t end = frame->time;

	if (!syc_frame_is_event(frame->type))
		return;
	if (frame->type == SYSCAP_FRAME_MARK)
		end = loss_stats_mark_end(frame);
	if (end > summary->end)
		summary->end = end;
}

static int add_mark(struct syc_stat_summary *summary,
                    const struct syscap_frame *frame)
{
	struct syc_loss loss;

	if (!syc_losses_read(frame, &loss))
		return summary->is_filtered
		               ? 0
		               : syc_mark_stats_add_frame(
					 &summary->marks, frame,
					 syc_processes_is_false_mark(
						 &summary->profile->processes,
						 frame)
						 ? SYC_MARK_FALSE
						 : SYC_MARK_PASSES);
	if (loss_stats_add(&summary->losses, frame, &loss) < 0)
		return -ENOMEM;
	return process_list_add_thread(&summary->processes, frame->pid,
	                               loss.tid);
}

static uint64_t number_after(const char *text, const char *name)
{
	const char *const at = strstr(text, name);

	return at != NULL ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* The cost of the writes of a process that recorded itself. */
static void add_cost(struct syc_slowest_write *slowest,
                     const struct syscap_frame *frame)
{
	const char *const value = frame->metadata.value;
	const uint64_t ns = number_after(value, " worst_ns=");

	if (strcmp(frame->metadata.id, "syscap.spill") != 0 ||
	    ns <= slowest->ns)
		return;
	slowest->ns = ns;
	slowest->pid = frame->pid;
	slowest->tid = (int32_t)number_after(value, " worst_tid=");
}

int syc_stat_summary_add(struct syc_stat_summary *summary,
                         const struct syscap_reader *reader,
                         const struct syscap_frame *frame)
{
	const bool is_known = syscap_frame_type_name(frame->type) != NULL;

	summary->n_frames++;
	summary->frames[is_known ? frame->type : 0]++;
	extend_span(summary, frame);
	if (process_list_add(&summary->processes, frame) < 0)
		return -ENOMEM;

	switch (frame->type) {
	case SYSCAP_FRAME_SAMPLE:
		syc_sample_stats_add(&summary->samples, frame,
		                     summary->info.foreign_order);
		return 0;
	case SYSCAP_FRAME_MARK:
		return add_mark(summary, frame);
	case SYSCAP_FRAME_METADATA:
		add_cost(&summary->slowest, frame);
		return 0;
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
	process_list_finish(&summary->processes);
	loss_stats_finish(&summary->losses);
	if (syc_mark_stats_finish(&summary->marks) < 0)
		return -ENOMEM;
	return syc_counter_stats_finish(&summary->counters);
}

int64_t syc_stat_summary_duration(const struct syc_stat_summary *summary)
{
	int64_t duration;

	if (__builtin_sub_overflow(summary->end, summary->begin, &duration))
		return INT64_MAX;
	return duration;
}
