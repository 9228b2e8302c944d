/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_processes.c - table of processes and threads of `syscap stat`, the
 * longest time first.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/stat_summary.h"
#include "cli/table.h"
#include "common/containers.h"

/*
 * Maximum number of thread ids shown of one process, and their bytes.  Further
 * ids are counted.
 */
#define MOST_THREADS 8
#define MOST_TIDS    64

/*
 * The name of a process is the name of its main thread, which other threads
 * without a name inherit.
 */
static const char *common_name(const struct syc_listed_process *process)
{
	for (size_t i = 0; i < process->threads.n; i++)
		if (process->threads.items[i].tid == process->pid)
			return process->threads.items[i].name;
	return "";
}

/* Amounts of the threads that pass, and of their processes. */
struct times {
	const struct syc_stat_hot *hot;
	struct syc_map by_thread; /* keys: struct who */
	SYC_ARRAY(uint64_t) amounts;
};

struct who {
	int32_t pid, tid;
	uint32_t is_process; /* tid is 0, for all threads of the process */
};

static int add_time(struct times *times, const struct who *who, uint64_t amount)
{
	size_t number;
	int r = syc_map_put(&times->by_thread, who, sizeof(*who), &number);

	if (r > 0)
		r = syc_array_push(&times->amounts, 0);
	if (r >= 0)
		times->amounts.items[number] += amount;
	return r < 0 ? r : 0;
}

static int collect_times(struct times *times)
{
	const struct syscap_profile_process *processes;
	const struct syscap_profile_thread *threads;
	struct syc_stat_rank *ranks;
	size_t n, ignored;
	int r = syc_stat_hot_rank(times->hot, &ranks, &n);

	if (r < 0)
		return r;
	threads = syscap_profile_threads(times->hot->profile, &ignored);
	processes = syscap_profile_processes(times->hot->profile, &ignored);
	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct syscap_profile_thread *thread =
			&threads[ranks[i].thread];
		const int32_t pid = processes[thread->process].pid;

		r = add_time(times, &(struct who){ pid, thread->tid, 0 },
		             ranks[i].amount);
		if (r == 0)
			r = add_time(times, &(struct who){ pid, 0, 1 },
			             ranks[i].amount);
	}
	free(ranks);
	return r;
}

static uint64_t time_of(const struct times *times, int32_t pid, int32_t tid,
                        bool is_process)
{
	const struct who who = { pid, is_process ? 0 : tid, is_process };
	size_t number;

	return syc_map_get(&times->by_thread, &who, sizeof(who), &number)
	               ? times->amounts.items[number]
	               : 0;
}

/* A process or thread of a list, by its place in the list. */
struct place {
	uint64_t amount;
	size_t place;
};

static int by_amount(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->amount != b->amount)
		return a->amount > b->amount ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

/* @n threads of @process, the longest time first.  Returns NULL without
 * memory. */
static struct place *order_threads(const struct times *times,
                                   const struct syc_listed_process *process)
{
	const size_t n = process->threads.n;
	struct place *places = malloc((n + 1) * sizeof(*places));

	for (size_t i = 0; places != NULL && i < n; i++)
		places[i] =
			(struct place){ time_of(times, process->pid,
			                        process->threads.items[i].tid,
			                        false),
			                i };
	if (places != NULL)
		qsort(places, n, sizeof(*places), by_amount);
	return places;
}

static int add_threads(struct syc_table *table, const struct times *times,
                       const struct syc_listed_process *process)
{
	const char *common = common_name(process);
	struct place *places = order_threads(times, process);
	char text[2 * MOST_TIDS + 120] = "", shown[32], time[40];
	size_t used = 0;

	if (places == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < process->threads.n; i++) {
		const struct syc_listed_thread *thread =
			&process->threads.items[places[i].place];

		if (i == MOST_THREADS || used > MOST_TIDS) {
			snprintf(text + used, sizeof(text) - used, " +%zu",
			         process->threads.n - i);
			break;
		}
		used += (size_t)snprintf(text + used, sizeof(text) - used,
		                         "%s%" PRId32, i ? " " : "",
		                         thread->tid);
		if (thread->name[0] != 0 && strcmp(thread->name, common) != 0) {
			syc_stat_hot_shorten(thread->name, shown,
			                     sizeof(shown));
			used += (size_t)snprintf(text + used,
			                         sizeof(text) - used, " (%s)",
			                         shown);
		}
		/* The table has the time of the only thread already. */
		if (places[i].amount == 0 || process->threads.n == 1)
			continue;
		syc_stat_hot_format(times->hot->view->unit, places[i].amount,
		                    time, sizeof(time));
		used += (size_t)snprintf(text + used, sizeof(text) - used,
		                         ": %s", time);
	}
	syc_table_add_text(table, *text ? text : "-");
	free(places);
	return 0;
}

/* The processes, the longest time first.  Returns NULL without memory. */
static struct place *order_processes(const struct times *times,
                                     const struct syc_process_list *processes)
{
	const size_t n = processes->processes.n;
	struct place *places = malloc((n + 1) * sizeof(*places));

	for (size_t i = 0; places != NULL && i < n; i++)
		places[i] = (struct place){
			time_of(times, processes->processes.items[i].pid, 0,
			        true),
			i
		};
	if (places != NULL)
		qsort(places, n, sizeof(*places), by_amount);
	return places;
}

/* The title of the amounts of processes: time, ticks or bytes, as in the
 * view. */
static const char *amount_title(const struct syc_stat_hot *hot)
{
	return hot->view->unit == SYSCAP_UNIT_TICKS   ? "ticks"
	       : hot->view->unit == SYSCAP_UNIT_BYTES ? "bytes"
	                                              : "time";
}

static int add_process(struct syc_table *table, const struct times *times,
                       const struct syc_listed_process *process,
                       uint64_t amount)
{
	char time[40];

	syc_table_add(table, "%" PRId32, process->pid);
	if (times->amounts.n > 0) {
		syc_stat_hot_format(times->hot->view->unit, amount, time,
		                    sizeof(time));
		syc_table_add(table, "%s", amount > 0 ? time : "-");
	}
	syc_table_add(table, "%zu", process->threads.n);
	if (add_threads(table, times, process) < 0)
		return -ENOMEM;
	syc_table_add_text(table, process->cmdline);
	return 0;
}

static int print_listed(const struct times *times,
                        const struct syc_process_list *processes, size_t most)
{
	const bool has_times = times->amounts.n > 0;
	struct syc_table_column columns[5] = { { "pid", true } };
	struct place *places = order_processes(times, processes);
	struct syc_table table;
	unsigned n = 1;
	int r = places != NULL ? 0 : -ENOMEM;

	if (has_times)
		columns[n++] =
			(struct syc_table_column){ amount_title(times->hot),
			                           true };
	columns[n++] = (struct syc_table_column){ "threads", true };
	columns[n++] = (struct syc_table_column){ "tids", false };
	columns[n++] = (struct syc_table_column){ "command line", false };
	syc_table_heading(stdout, "Processes in the capture%s",
	                  has_times && times->hot->whole[0] != 0
	                          ? ", with amounts that pass the filter"
	                          : "");
	syc_table_init(&table, columns, n);
	for (size_t i = 0; r == 0 && i < processes->processes.n && i < most;
	     i++)
		r = add_process(&table, times,
		                &processes->processes.items[places[i].place],
		                places[i].amount);
	free(places);
	if (r < 0) {
		syc_table_fini(&table);
		return r;
	}
	return syc_table_finish(&table, processes->processes.n, most);
}

int syc_stat_processes_text(const struct syc_stat_hot *hot,
                            const struct syc_process_list *processes,
                            size_t most)
{
	struct times times = { .hot = hot };
	int r;

	if (processes->processes.n == 0)
		return 0;
	r = collect_times(&times);
	if (r == 0)
		r = print_listed(&times, processes, most);
	syc_map_fini(&times.by_thread);
	free(times.amounts.items);
	return r;
}
