/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_names.c - what code that no file has is called, by process.
 */
#include "code/code_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/code_frames.h"
#include "data/array.h"
#include "data/load.h"
#include "data/map.h"

struct named_process {
	struct syc_code_table *table;
	/* All its code, so that most other addresses are not looked up. */
	bool any;
	uint64_t low, last;
};

struct syc_code_names {
	struct syc_map pids;
	SYC_ARRAY(struct named_process) processes;
};

int syc_code_names_new(struct syc_code_names **ret_names)
{
	*ret_names = calloc(1, sizeof(**ret_names));
	return *ret_names != NULL ? 0 : -ENOMEM;
}

void syc_code_names_free(struct syc_code_names *names)
{
	if (names == NULL)
		return;
	for (size_t i = 0; i < names->processes.n; i++)
		syc_code_table_free(names->processes.items[i].table);
	free(names->processes.items);
	syc_map_fini(&names->pids);
	free(names);
}

int syc_code_names_table(struct syc_code_names *names, int32_t pid,
                         struct syc_code_table **ret_table)
{
	struct named_process process = { 0 };
	size_t number;
	int r;

	if (syc_map_get(&names->pids, &pid, sizeof(pid), &number)) {
		*ret_table = names->processes.items[number].table;
		return 0;
	}
	r = syc_code_table_new(&process.table);
	if (r < 0)
		return r;
	/* The number of the pid is its place in the array. */
	if (syc_array_room(&names->processes) < 0 ||
	    syc_map_put(&names->pids, &pid, sizeof(pid), &number) < 0) {
		syc_code_table_free(process.table);
		return -ENOMEM;
	}
	names->processes.items[names->processes.n++] = process;
	*ret_table = process.table;
	return 0;
}

/* Code events that say nothing, or have no room, are left out. */
int syc_code_names_add(struct syc_code_names *names,
                       const struct syscap_frame *frame)
{
	struct syc_code_table *table;
	int r;

	if (!syc_code_frames_is(frame))
		return 0;
	r = syc_code_names_table(names, frame->pid, &table);
	if (r == 0)
		r = syc_code_frames_take(frame, table);
	return r == -ENOMEM ? r : 0;
}

int syc_code_names_scan(struct syc_code_names *names,
                        struct syscap_reader *reader)
{
	struct syscap_frame frame;
	int r = 0, next;

	while (r == 0 &&
	       (next = syscap_reader_next(reader, &frame, NULL)) != 0 &&
	       next != -EBADMSG)
		if (next > 0)
			r = syc_code_names_add(names, &frame);
	return r;
}

int syc_code_names_settle(struct syc_code_names *names)
{
	for (size_t i = 0; i < names->processes.n; i++) {
		struct named_process *process = &names->processes.items[i];
		const int r = syc_code_table_settle(process->table);

		if (r < 0)
			return r;
		process->any = syc_code_table_span(
			process->table, &process->low, &process->last);
	}
	return 0;
}

bool syc_code_names_any(const struct syc_code_names *names)
{
	for (size_t i = 0; i < names->processes.n; i++)
		if (names->processes.items[i].any)
			return true;
	return false;
}

static const struct named_process *
find_process(const struct syc_code_names *names, int32_t pid)
{
	size_t number;

	if (!syc_map_get(&names->pids, &pid, sizeof(pid), &number) ||
	    !names->processes.items[number].any)
		return NULL;
	return &names->processes.items[number];
}

int syc_code_names_symbol(void *data, const struct syc_symbol_query *query,
                          struct syc_symbol *ret_symbol)
{
	const struct syc_code_names *names = data;
	const struct named_process *process = find_process(names, query->pid);
	struct syc_code_range range;

	if (process == NULL || query->address < process->low ||
	    query->address > process->last ||
	    !syc_code_table_find(process->table, query->address, query->time,
	                         &range))
		return 0;
	*ret_symbol = (struct syc_symbol){
		.begin = range.start,
		.end = range.start + range.len,
		.name = range.name,
		.nick = "",
		.is_named = true,
	};
	return 1;
}
