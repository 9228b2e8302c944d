/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_names.c - give the addresses of machine code their names.
 *
 * The ids are the lowest that the capture does not use: those of its writers
 * begin at a hash of their pid, so that "behind the last" may be nowhere.
 */
#include "code/code_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/frame.h"
#include "capture/frame_order.h"
#include "code/code_frames.h"
#include "data/array.h"
#include "data/load.h"
#include "data/map.h"

struct process {
	struct sc_code_table *table;
	/* All its code, so that most other addresses are not looked up. */
	bool any;
	uint64_t low, last;
};

struct sc_code_names {
	struct sc_map pids;
	SC_ARRAY(struct process) processes;
	struct sc_map used;  /* lower halves of addresses that are names */
	uint32_t next;       /* 0: none was given yet */
	struct sc_map names; /* that were given ids here */
	SC_ARRAY(uint32_t) ids;
	struct sc_code_names_totals totals;
	/* The JITMAP that goes before the frame at hand. */
	size_t jitmap_len;
	uint32_t n_jitmaps;
	unsigned char jitmap[SYSCAP_FRAME_MAX];
	unsigned char frame[SYSCAP_FRAME_MAX + 8];
};

int sc_code_names_new(struct sc_code_names **ret_names)
{
	*ret_names = calloc(1, sizeof(**ret_names));
	return *ret_names != NULL ? 0 : -ENOMEM;
}

void sc_code_names_free(struct sc_code_names *names)
{
	if (names == NULL)
		return;
	for (size_t i = 0; i < names->processes.n; i++)
		sc_code_table_free(names->processes.items[i].table);
	free(names->processes.items);
	free(names->ids.items);
	sc_map_fini(&names->pids);
	sc_map_fini(&names->used);
	sc_map_fini(&names->names);
	free(names);
}

int sc_code_names_table(struct sc_code_names *names, int32_t pid,
                        struct sc_code_table **ret_table)
{
	struct process process = { 0 };
	size_t number;
	int r;

	if (sc_map_get(&names->pids, &pid, sizeof(pid), &number)) {
		*ret_table = names->processes.items[number].table;
		return 0;
	}
	r = sc_code_table_new(&process.table);
	if (r < 0)
		return r;
	/* The number of the pid is its place in the array. */
	if (sc_array_room(&names->processes) < 0 ||
	    sc_map_put(&names->pids, &pid, sizeof(pid), &number) < 0) {
		sc_code_table_free(process.table);
		return -ENOMEM;
	}
	names->processes.items[names->processes.n++] = process;
	*ret_table = process.table;
	return 0;
}

static bool is_name(uint64_t addr)
{
	return addr >> 32 == SYSCAP_JIT_MARK >> 32;
}

static int use(struct sc_code_names *names, uint64_t addr)
{
	const uint32_t id = (uint32_t)addr;
	size_t number;
	int r;

	if (!is_name(addr))
		return 0;
	r = sc_map_put(&names->used, &id, sizeof(id), &number);
	return r < 0 ? r : 0;
}

static int scan_frame(struct sc_code_names *names, struct syscap_reader *reader,
                      const struct syscap_frame *frame)
{
	struct sc_code_table *table;
	size_t cursor = 0;
	const char *name;
	uint64_t addr;
	int r = 0;

	/* Names that are missing must not become somebody else's. */
	for (unsigned i = 0;
	     r == 0 && syscap_frame_addr(reader, frame, i, &addr); i++)
		r = use(names, addr);
	while (r == 0 &&
	       syscap_frame_jit_name(reader, frame, &cursor, &addr, &name))
		r = use(names, addr);
	if (r < 0 || !sc_code_frames_is(frame))
		return r;
	r = sc_code_names_table(names, frame->pid, &table);
	if (r == 0)
		r = sc_code_frames_take(frame, table);
	names->totals.n_bad += r == -EINVAL;
	names->totals.n_full += r == -ENOSPC;
	return r == -ENOMEM ? r : 0;
}

int sc_code_names_scan(struct sc_code_names *names,
                       struct syscap_reader *reader)
{
	struct syscap_frame frame;
	int r = 0, next;

	while (r == 0 &&
	       (next = syscap_reader_next(reader, &frame, NULL)) != 0 &&
	       next != -EBADMSG)
		if (next > 0)
			r = scan_frame(names, reader, &frame);
	return r;
}

int sc_code_names_settle(struct sc_code_names *names)
{
	names->totals.n_ranges = 0;
	for (size_t i = 0; i < names->processes.n; i++) {
		struct process *process = &names->processes.items[i];
		const int r = sc_code_table_settle(process->table);

		if (r < 0)
			return r;
		process->any = sc_code_table_span(process->table, &process->low,
		                                  &process->last);
		names->totals.n_ranges += sc_code_table_events(process->table);
	}
	return 0;
}

bool sc_code_names_any(const struct sc_code_names *names)
{
	for (size_t i = 0; i < names->processes.n; i++)
		if (names->processes.items[i].any)
			return true;
	return false;
}

static const struct process *find_process(const struct sc_code_names *names,
                                          int32_t pid)
{
	size_t number;

	if (!sc_map_get(&names->pids, &pid, sizeof(pid), &number) ||
	    !names->processes.items[number].any)
		return NULL;
	return &names->processes.items[number];
}

bool sc_code_names_find(const struct sc_code_names *names, int32_t pid,
                        uint64_t addr, int64_t time,
                        struct sc_code_range *ret_range)
{
	const struct process *process = find_process(names, pid);

	return process != NULL && addr >= process->low &&
	       addr <= process->last &&
	       sc_code_table_find(process->table, addr, time, ret_range);
}

int sc_code_names_symbol(void *names, const struct sc_symbol_query *query,
                         struct sc_symbol *ret_symbol)
{
	struct sc_code_range range;

	if (!sc_code_names_find(names, query->pid, query->address, query->time,
	                        &range))
		return 0;
	*ret_symbol = (struct sc_symbol){
		.begin = range.start,
		.end = range.start + range.len,
		.name = range.name,
		.nick = "",
		.is_named = true,
	};
	return 1;
}

static int next_id(struct sc_code_names *names, uint32_t *ret_id)
{
	size_t number;

	do {
		if (names->next == UINT32_MAX)
			return -ENOSPC;
		names->next++;
	} while (sc_map_get(&names->used, &names->next, sizeof(names->next),
	                    &number));
	*ret_id = names->next;
	return 0;
}

static void flush_jitmap(struct sc_code_names *names, struct sc_writer *writer)
{
	unsigned char *at = names->jitmap;
	const size_t len = (names->jitmap_len + 7) & ~(size_t)7;

	if (names->n_jitmaps == 0)
		return;
	memset(at + names->jitmap_len, 0, len - names->jitmap_len);
	sc_store_u16(at + SC_AT(frame, len), (uint16_t)len);
	sc_store_u32(at + SC_AT(jitmap, n_jitmaps), names->n_jitmaps);
	sc_writer_add(writer, at);
	names->n_jitmaps = 0;
}

static void begin_jitmap(struct sc_code_names *names,
                         const struct syscap_frame *frame)
{
	unsigned char *at = names->jitmap;

	memset(at, 0, SYSCAP_JITMAP_FIXED);
	sc_store_u16(at + SC_AT(frame, cpu), UINT16_MAX);
	sc_store_u32(at + SC_AT(frame, pid), (uint32_t)frame->pid);
	sc_store_u64(at + SC_AT(frame, time), (uint64_t)frame->time);
	at[SC_AT(frame, type)] = SYSCAP_FRAME_JITMAP;
	names->jitmap_len = SYSCAP_JITMAP_FIXED;
}

/* The address that stands for @name; a new one is told first. */
static int give_name(struct sc_code_names *names,
                     const struct syscap_frame *frame, const char *name,
                     struct sc_writer *writer, uint64_t *ret_addr)
{
	const size_t size = strlen(name) + 1;
	size_t number;
	uint32_t id;
	int r;

	if (sc_map_get(&names->names, name, size, &number)) {
		*ret_addr = SYSCAP_JIT_MARK | names->ids.items[number];
		return 0;
	}
	r = next_id(names, &id);
	if (r < 0)
		return r;
	if (sc_array_room(&names->ids) < 0 ||
	    sc_map_put(&names->names, name, size, &number) < 0)
		return -ENOMEM;
	names->ids.items[names->ids.n++] = id;
	names->totals.n_names++;
	*ret_addr = SYSCAP_JIT_MARK | id;
	if (names->n_jitmaps > 0 &&
	    names->jitmap_len + SC_JIT_ADDR_SIZE + size > SYSCAP_FRAME_MAX)
		flush_jitmap(names, writer);
	if (names->n_jitmaps == 0)
		begin_jitmap(names, frame);
	sc_store_u64(names->jitmap + names->jitmap_len, *ret_addr);
	names->jitmap_len += SC_JIT_ADDR_SIZE;
	memcpy(names->jitmap + names->jitmap_len, name, size);
	names->jitmap_len += size;
	names->n_jitmaps++;
	return 0;
}

static unsigned char *find_stack(const struct syscap_frame *frame,
                                 unsigned char *buffer, unsigned *ret_n)
{
	if (frame->used == 0)
		return NULL;
	switch (frame->type) {
	case SYSCAP_FRAME_SAMPLE:
	case SYSCAP_FRAME_TRACE:
		*ret_n = frame->sample.n_addrs;
		return buffer + sizeof(struct syscap_wire_sample);
	case SYSCAP_FRAME_ALLOCATION:
		*ret_n = frame->allocation.n_addrs;
		return buffer + sizeof(struct syscap_wire_allocation);
	default:
		return NULL;
	}
}

int sc_code_names_apply(struct sc_code_names *names,
                        const struct syscap_frame *frame, unsigned char *buffer,
                        struct sc_writer *writer)
{
	unsigned n = 0;
	unsigned char *at = find_stack(frame, buffer, &n);
	int r = 0;

	if (at == NULL || find_process(names, frame->pid) == NULL)
		return 0;
	for (; r == 0 && n > 0; n--, at += 8) {
		struct sc_code_range range;
		uint64_t addr = sc_load_u64(at, false);

		if (!sc_code_names_find(names, frame->pid, addr, frame->time,
		                        &range))
			continue;
		r = give_name(names, frame, range.name, writer, &addr);
		if (r < 0)
			break;
		sc_store_u64(at, addr);
		names->totals.n_addresses++;
	}
	flush_jitmap(names, writer);
	return r;
}

/* Returns 1 when it is not to be written, or -errno. */
static int copy_frame(struct sc_code_names *names,
                      const struct syscap_frame *frame, bool big,
                      struct sc_writer *writer)
{
	if (frame->type == SYSCAP_FRAME_TIMESTAMP && frame->timestamp.is_index)
		return 1;
	sc_frame_order_copy(frame, big, names->frame);
	return sc_code_names_apply(names, frame, names->frame, writer);
}

int sc_code_names_write(struct sc_code_names *names,
                        struct syscap_reader *reader, struct sc_writer *writer)
{
	struct syscap_file_info info;
	struct syscap_frame frame;
	int r = 0, next;

	syscap_reader_info(reader, &info);
	while (r >= 0 &&
	       (next = syscap_reader_next(reader, &frame, NULL)) != 0) {
		if (next == -EBADMSG) {
			names->totals.n_left_out++;
			break;
		}
		if (next < 0) {
			names->totals.n_left_out++;
			continue;
		}
		r = copy_frame(names, &frame, info.foreign_order, writer);
		if (r == 0)
			sc_writer_add(writer, names->frame);
	}
	return r < 0 ? r : sc_writer_flush(writer);
}

void sc_code_names_totals(const struct sc_code_names *names,
                          struct sc_code_names_totals *ret_totals)
{
	*ret_totals = names->totals;
}
