/* SPDX-License-Identifier: BSD-2-Clause */
/* process_list.c - the processes and threads that a capture speaks of. */
#include "cli/process_list.h"

#include <string.h>

void syc_process_list_fini(struct syc_process_list *processes)
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

int syc_process_list_add_thread(struct syc_process_list *processes, int32_t pid,
                                int32_t tid)
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

/* Of a thread that was added. */
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

int syc_process_list_add(struct syc_process_list *processes,
                         const struct syscap_frame *frame)
{
	struct syc_listed_process *process;
	int r;

	if (frame->type == SYSCAP_FRAME_TIMESTAMP ||
	    frame->type == SYSCAP_FRAME_JITMAP ||
	    !syscap_frame_type_name(frame->type))
		return 0;
	r = syc_process_list_add_thread(processes, frame->pid, frame->tid);
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

void syc_process_list_finish(struct syc_process_list *processes)
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
