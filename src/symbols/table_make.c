/* SPDX-License-Identifier: BSD-2-Clause */
/* table_make.c - the table of symbols that a capture carries: made. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/chunks.h"
#include "capture/join_symbols.h"
#include "symbols/record_set.h"
#include "symbols/table_parts.h"

#define PROGRESS_STEP (UINT64_C(1) << 20)

struct table_making {
	struct syc_symbol_table *table;
	struct syscap_reader *reader;
	const struct syc_symbol_table_options *options;
	struct syc_stack_walk walk;
	struct syc_join_symbols records;
	struct syc_chunks old; /* the table that is there */
	bool is_old_whole;
	uint32_t last_jit; /* the highest lower half there is */
	uint32_t above;    /* how many above it were given */
	uint32_t below;    /* the last one below it that was looked at */
	struct syc_map
		used;      /* all that are there; once some below are needed */
	uint64_t *new_jit; /* by point: its JIT address, or 0 */
	size_t n_new_jit;
	uint64_t done, all; /* bytes */
	/* The frame that is walked through. */
	const struct syscap_frame *frame;
};

static void advance(struct table_making *making, unsigned len)
{
	const uint64_t before = making->done / PROGRESS_STEP;

	making->done += len;
	if (making->options->progress != NULL &&
	    making->done / PROGRESS_STEP != before)
		making->options->progress(making->options->data, making->done,
		                          making->all);
}

static bool is_jit(uint64_t address)
{
	return address >> 32 == SYSCAP_JIT_MARK >> 32;
}

static void note_jit(struct table_making *making, uint64_t address)
{
	if (is_jit(address) && (uint32_t)address > making->last_jit)
		making->last_jit = (uint32_t)address;
}

static int note_address(void *data, unsigned i, uint64_t address,
                        enum syc_point_kind kind, size_t number)
{
	struct table_making *making = data;
	struct syc_symbol_table_totals *totals = &making->table->totals;
	struct syc_point *point;

	(void)i;
	if (kind == SYC_POINT_JIT) {
		note_jit(making, address);
		totals->jit++;
	} else if (kind == SYC_POINT_KERNEL) {
		totals->kernel++;
	} else if (kind == SYC_POINT_USER) {
		point = &making->walk.points.items[number];
		point->n++;
		totals->addresses++;
		if (point->is_known && point->symbol.is_named)
			totals->named++;
		else if (point->symbol.use != NULL)
			point->symbol.use->n_unnamed_in_stacks++;
		else
			totals->unmapped++;
		if (point->is_known && !point->symbol.is_named)
			totals->unnamed++;
	}
	return 0;
}

static void note_names(struct table_making *making,
                       const struct syscap_frame *frame)
{
	uint64_t address;
	const char *name;
	size_t cursor = 0;

	while (syscap_frame_jit_name(making->reader, frame, &cursor, &address,
	                             &name))
		note_jit(making, address);
}

static int note_chunk(struct table_making *making,
                      const struct syscap_frame *frame)
{
	if (strcmp(frame->file_chunk.path, SYC_JOIN_SYMBOLS_PATH) != 0 ||
	    making->is_old_whole)
		return 0;
	const int r = syc_chunks_add(&making->old, frame);

	making->is_old_whole = r > 0;
	return r < 0 ? r : 0;
}

static int note_frame(struct table_making *making,
                      const struct syscap_frame *frame)
{
	making->frame = frame;
	if (frame->type == SYSCAP_FRAME_JITMAP)
		note_names(making, frame);
	else if (frame->type == SYSCAP_FRAME_FILE_CHUNK)
		return note_chunk(making, frame);
	else
		return syc_stack_walk(&making->walk, making->reader, frame,
		                      note_address, making);
	return 0;
}

static int walk_frames(struct table_making *making,
                       int (*each)(struct table_making *making,
                                   const struct syscap_frame *frame))
{
	struct syscap_frame frame;
	int r = 0, next;

	syscap_reader_rewind(making->reader);
	while (r == 0 &&
	       (next = syscap_reader_next(making->reader, &frame, NULL)) != 0) {
		if (next == -EBADMSG)
			break;
		advance(making, frame.len);
		if (next > 0)
			r = each(making, &frame);
	}
	return r;
}

static bool is_said(const struct table_making *making,
                    const struct syc_point *point)
{
	const struct syc_join_symbol *record = syc_record_set_find(
		&making->records, point->pid, point->address);

	return record != NULL &&
	       strcmp(record->name, point->symbol.name) == 0 &&
	       strcmp(record->tag, point->symbol.nick) == 0;
}

static int use_jit(struct table_making *making, uint64_t address)
{
	const uint32_t id = (uint32_t)address;
	size_t number;
	int r;

	if (!is_jit(address))
		return 0;
	r = syc_map_put(&making->used, &id, sizeof(id), &number);
	return r < 0 ? r : 0;
}

static int use_frame(struct table_making *making,
                     const struct syscap_frame *frame)
{
	uint64_t address;
	const char *name;
	size_t cursor = 0;
	int r = 0;

	/* One without a name must not get somebody else's. */
	for (unsigned i = 0;
	     r == 0 && syscap_frame_addr(making->reader, frame, i, &address);
	     i++)
		r = use_jit(making, address);
	while (r == 0 && syscap_frame_jit_name(making->reader, frame, &cursor,
	                                       &address, &name))
		r = use_jit(making, address);
	return r;
}

/*
 * The lower half of an address that the capture does not use: above all of
 * them, and where that is nowhere, since a writer may begin anywhere, the
 * lowest.  0, -ENOSPC or -ENOMEM.
 */
static int next_jit(struct table_making *making, uint32_t *ret_id)
{
	size_t number;
	int r;

	if (making->above < UINT32_MAX - making->last_jit) {
		*ret_id = making->last_jit + ++making->above;
		return 0;
	}
	if (making->used.n == 0) {
		making->all += making->all / 2;
		r = walk_frames(making, use_frame);
		if (r < 0)
			return r;
	}
	do {
		if (making->below == making->last_jit)
			return -ENOSPC;
		making->below++;
	} while (syc_map_get(&making->used, &making->below,
	                     sizeof(making->below), &number));
	*ret_id = making->below;
	return 0;
}

/* 0 or -ENOMEM. */
static int add_name(struct syc_symbol_table *table, uint64_t address,
                    const char *text)
{
	struct syc_table_name name = { .address = address };

	if (syc_array_room(&table->names) < 0)
		return -ENOMEM;
	name.text = strdup(text);
	if (name.text == NULL)
		return -ENOMEM;
	return syc_array_push(&table->names, name);
}

/* Points that the records say something else about get a name of their own. */
static int name_conflicts(struct table_making *making)
{
	const size_t n = making->walk.points.n;
	struct syc_map names = { 0 };
	SYC_ARRAY(uint32_t) ids = { 0 }; /* by the number of the name */
	int r = 0;

	making->new_jit = calloc(n + 1, sizeof(*making->new_jit));
	if (making->new_jit == NULL)
		return -ENOMEM;
	making->n_new_jit = n;
	for (size_t i = 0; i < n && r >= 0; i++) {
		const struct syc_point *point = &making->walk.points.items[i];
		uint32_t id;
		size_t number;

		if (!point->is_known || point->pid < 0 ||
		    is_said(making, point))
			continue;
		r = syc_map_put(&names, point->symbol.name,
		                strlen(point->symbol.name) + 1, &number);
		if (r > 0) {
			r = next_jit(making, &id);
			if (r == 0)
				r = syc_array_push(&ids, id);
			if (r == 0)
				r = add_name(making->table,
				             SYSCAP_JIT_MARK | id,
				             point->symbol.name);
		}
		if (r == 0)
			making->new_jit[i] =
				SYSCAP_JIT_MARK | ids.items[number];
	}
	free(ids.items);
	syc_map_fini(&names);
	/* No more addresses: the others have the table's name. */
	return r == -ENOSPC ? 0 : r;
}

static int patch_address(void *data, unsigned i, uint64_t address,
                         enum syc_point_kind kind, size_t point)
{
	struct table_making *making = data;
	struct syc_symbol_patch patch = {
		.offset = making->frame->offset +
		          syc_stack_walk_at(making->frame, i),
	};

	(void)address;
	if (kind != SYC_POINT_USER || point >= making->n_new_jit ||
	    making->new_jit[point] == 0)
		return 0;
	patch.address = making->new_jit[point];
	return syc_array_push(&making->table->patches, patch);
}

static int patch_frame(struct table_making *making,
                       const struct syscap_frame *frame)
{
	making->frame = frame;
	return syc_stack_walk(&making->walk, making->reader, frame,
	                      patch_address, making);
}

/* What the old table says and the new one does not. */
static int keep_old(struct table_making *making)
{
	const size_t before = making->records.sorted.n;
	const size_t size = making->old.bytes.n;
	struct syc_symbol_table_totals *totals = &making->table->totals;
	unsigned char *bytes;
	uint64_t left_out;
	int r;

	totals->had_table =
		size > 0 &&
		syc_join_symbols_fits(making->old.bytes.items, size, false);
	if (!totals->had_table || !making->options->extend)
		return 0;
	bytes = malloc(size);
	if (bytes == NULL)
		return -ENOMEM;
	memcpy(bytes, making->old.bytes.items, size);
	r = syc_join_symbols_add(&making->records, bytes, false, &left_out);
	totals->kept = making->records.sorted.n - before;
	return r;
}

static int make(struct table_making *making)
{
	struct syc_symbol_table *table = making->table;
	int r = walk_frames(making, note_frame);

	if (r == 0)
		r = syc_record_set_make(making->walk.points.items,
		                        making->walk.points.n,
		                        &making->records);
	if (r == 0)
		r = name_conflicts(making);
	if (r == 0 && table->names.n > 0)
		r = walk_frames(making, patch_frame);
	if (r == 0)
		r = keep_old(making);
	table->totals.records = making->records.sorted.n;
	table->totals.names = table->names.n;
	if (r == 0 && making->records.sorted.n > 0)
		r = syc_join_symbols_table(&making->records, &table->bytes,
		                           &table->size);
	return r;
}

int syc_symbol_table_make(struct syc_symbols *symbols,
                          struct syscap_reader *reader,
                          const struct syc_symbol_table_options *options,
                          struct syc_symbol_table **ret_table)
{
	struct table_making making = {
		.reader = reader,
		.options = options,
		.walk = { .symbols = symbols },
	};
	struct syscap_file_info info;
	int r;

	syscap_reader_info(reader, &info);
	if (info.foreign_order) /* ours is little-endian, as files we write */
		return -EILSEQ;
	making.all = 2 * info.size; /* the second walk is not always needed */
	making.table = calloc(1, sizeof(*making.table));
	if (making.table == NULL)
		return -ENOMEM;
	r = make(&making);
	syc_stack_walk_fini(&making.walk);
	syc_join_symbols_fini(&making.records);
	free(making.old.bytes.items);
	syc_map_fini(&making.used);
	free(making.new_jit);
	if (r < 0)
		syc_symbol_table_free(making.table);
	else
		*ret_table = making.table;
	return r;
}
