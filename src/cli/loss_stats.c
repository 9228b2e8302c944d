/* SPDX-License-Identifier: BSD-2-Clause */
/* loss_stats.c - loss records: what a capture says about frames it misses. */
#include "cli/loss_stats.h"

void syc_loss_stats_fini(struct syc_loss_stats *losses)
{
	syc_map_fini(&losses->by_thread);
	free(losses->threads.items);
}

int64_t syc_loss_stats_mark_end(const struct syscap_frame *frame)
{
	int64_t end;

	if (frame->mark.duration < 0)
		return frame->time;
	if (__builtin_add_overflow(frame->time, frame->mark.duration, &end))
		return INT64_MAX;
	return end;
}

int syc_loss_stats_add(struct syc_loss_stats *losses,
                       const struct syscap_frame *frame,
                       const struct syc_loss *loss)
{
	const int32_t tid = loss->tid > 0 ? loss->tid : -1;
	const int32_t key[2] = { frame->pid, tid };
	const int64_t end = syc_loss_stats_mark_end(frame);
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

void syc_loss_stats_finish(struct syc_loss_stats *losses)
{
	if (losses->threads.n)
		qsort(losses->threads.items, losses->threads.n,
		      sizeof(*losses->threads.items), compare_threads);
}
