/* SPDX-License-Identifier: BSD-2-Clause */
/* symbol_table.c - composer and writer of the symbol table in a capture. */
#define _GNU_SOURCE
#include "symbols/symbol_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/frame.h"
#include "base/loss_record.h"
#include "capture/embedded.h"
#include "capture/files.h"
#include "capture/join.h"
#include "capture/line_table.h"
#include "common/frame_layout.h"
#include "common/load.h"

const struct syc_symbol_patch *
syc_symbol_table_patches(const struct syc_symbol_table *table, size_t *ret_n)
{
	*ret_n = table->patches.n;
	return table->patches.items;
}

void syc_symbol_table_totals(const struct syc_symbol_table *table,
                             struct syc_symbol_table_totals *ret_totals)
{
	*ret_totals = table->totals;
}

static void write_names(const struct syc_symbol_table *table,
                        struct syc_writer *writer, int64_t time)
{
	_Alignas(8) unsigned char buffer[SYSCAP_FRAME_MAX];
	struct syscap_wire_jitmap *const jitmap = (void *)buffer;
	const size_t n = table->names.n;

	for (size_t i = 0; i < n;) {
		size_t len = SYSCAP_JITMAP_FIXED;
		uint32_t in_frame = 0;

		for (; i < n; i++, in_frame++) {
			const struct syc_table_name *name =
				&table->names.items[i];
			const size_t text = strlen(name->text) + 1;

			/* A single name always fits, because of
			 * SYC_READABLE_MAX. */
			if (len + SYC_JIT_ADDR_SIZE + text > sizeof(buffer))
				break;
			syc_store_u64(buffer + len, name->address);
			memcpy(buffer + len + SYC_JIT_ADDR_SIZE, name->text,
			       text);
			len += SYC_JIT_ADDR_SIZE + text;
		}
		if (in_frame == 0) /* too long for a name from this library */
			return;
		syc_frame_begin(&jitmap->frame, SYSCAP_FRAME_JITMAP, -1, time);
		jitmap->n_jitmaps = in_frame;
		syc_frame_end(&jitmap->frame, len);
		syc_writer_add(writer, buffer);
	}
}

void syc_symbol_table_write(const struct syc_symbol_table *table,
                            struct syc_writer *writer, int64_t time)
{
	write_names(table, writer, time);
	if (table->size != 0)
		syc_embedded_write(writer, SYC_JOIN_SYMBOLS_PATH, table->bytes,
		                   table->size, time);
}

void syc_symbol_table_free(struct syc_symbol_table *table)
{
	if (table == NULL)
		return;
	for (size_t i = 0; i < table->names.n; i++)
		free(table->names.items[i].text);
	free(table->names.items);
	free(table->patches.items);
	free(table->bytes);
	free(table);
}

#define PROGRESS_STEP (UINT64_C(1) << 20)

struct table_making {
	struct syc_symbol_table *table;
	struct syscap_reader *reader;
	const struct syc_symbol_table_options *options;
	struct syc_stack_walk walk;
	struct syc_join_symbols records;
	struct syc_chunks old; /* old table of the capture */
	bool is_old_whole;
	uint32_t last_jit;   /* the highest lower half in use */
	uint32_t above;      /* number of addresses allocated above last_jit */
	uint32_t below;      /* the last candidate below last_jit */
	struct syc_map used; /* all addresses in use, if an address below is
	                      * needed */
	uint64_t *new_jit;   /* JIT address of each point, or 0 */
	size_t n_new_jit;
	uint64_t done, all; /* numbers of bytes */
	/* The current frame. */
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

/*
 * Return whether the records give readers the right name of @point, or
 * correctly no name.
 */
static bool is_said(const struct table_making *making,
                    const struct syc_point *point)
{
	const struct syc_join_symbol *record = syc_record_set_find(
		&making->records, point->pid, point->address);

	if (!point->is_known)
		return record == NULL;
	return record != NULL &&
	       strcmp(record->name, point->symbol.name) == 0 &&
	       strcmp(record->tag, point->symbol.nick) == 0;
}

/*
 * Return a name for @point, from malloc(), or NULL if no memory is left.  An
 * unknown function gets a name if another library had the function's address at
 * another time.
 */
static char *make_name(const struct syc_point *point)
{
	char *text;

	if (point->is_known)
		return strdup(point->symbol.name);
	if (point->symbol.use == NULL)
		return strdup("unknown code");
	return asprintf(&text, "In File %s", point->symbol.use->path) < 0
	               ? NULL
	               : text;
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

	/* An address without a record must not get another function's name. */
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
 * Find the lower half of an unused JIT address, above all used addresses.  If
 * none is left above, take the lowest unused address, because a writer may
 * begin anywhere.  Returns 0, -ENOSPC or -ENOMEM.
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

/* Add a name, and take ownership of the text.  Returns 0 or -ENOMEM. */
static int add_name(struct syc_symbol_table *table, uint64_t address,
                    char *text)
{
	const struct syc_table_name name = { address, text };

	if (syc_array_push(&table->names, name) == 0)
		return 0;
	free(text);
	return -ENOMEM;
}

/* Give a JIT name to each point whose record has another name. */
static int name_conflicts(struct table_making *making)
{
	const size_t n = making->walk.points.n;
	struct syc_map names = { 0 };
	/* JIT addresses of names, by number. */
	SYC_ARRAY(uint32_t) ids = { 0 };
	int r = 0;

	making->new_jit = calloc(n + 1, sizeof(*making->new_jit));
	if (making->new_jit == NULL)
		return -ENOMEM;
	making->n_new_jit = n;
	for (size_t i = 0; i < n && r >= 0; i++) {
		const struct syc_point *point = &making->walk.points.items[i];
		uint32_t id;
		size_t number;

		if (point->pid < 0 || is_said(making, point))
			continue;
		char *const name = make_name(point);
		if (name == NULL) {
			r = -ENOMEM;
			break;
		}
		r = syc_map_put(&names, name, strlen(name) + 1, &number);
		if (r > 0) {
			r = next_jit(making, &id);
			if (r == 0)
				r = syc_array_push(&ids, id);
			if (r == 0)
				r = add_name(making->table,
				             SYSCAP_JIT_MARK | id, name);
			else
				free(name);
		} else {
			free(name);
		}
		if (r == 0)
			making->new_jit[i] =
				SYSCAP_JIT_MARK | ids.items[number];
	}
	free(ids.items);
	syc_map_fini(&names);
	/* Without more JIT addresses, the other points keep the record's
	 * name. */
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

/* Keep the records of the old table for other addresses. */
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
	if (info.foreign_order) /* the table is little-endian */
		return -EILSEQ;
	making.all = 2 * info.size; /* two passes, of which the second may be
	                             * unnecessary */
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

static int fail(struct syscap_error *error, int code)
{
	return syc_error_set(error, code, 0, "%s", strerror(code));
}

int syc_rewrite_begin(const struct syc_rewrite *rewrite, char *temporary,
                      size_t size, struct syscap_error *error)
{
	const char *target = rewrite->target;
	const char *slash = strrchr(target, '/');
	const int directory = slash ? (int)(slash + 1 - target) : 0;
	int fd;

	if (snprintf(temporary, size, "%.*s.%s.XXXXXX", directory, target,
	             target + directory) >= (int)size)
		return fail(error, ENAMETOOLONG);
	fd = mkostemp(temporary, O_CLOEXEC);
	return fd < 0 ? fail(error, errno) : fd;
}

static bool is_old_table(const struct syc_rewrite *rewrite,
                         const struct syscap_frame *frame)
{
	if (frame->type != SYSCAP_FRAME_FILE_CHUNK)
		return false;
	return (rewrite->table != NULL &&
	        strcmp(frame->file_chunk.path, SYC_JOIN_SYMBOLS_PATH) == 0) ||
	       (rewrite->lines != NULL &&
	        strcmp(frame->file_chunk.path, SYC_LINE_TABLE_PATH) == 0);
}

/* Copy all frames.  Returns -EAGAIN if the source changed in the meantime. */
static int copy_frames(const struct syc_rewrite *rewrite,
                       struct syc_writer *writer)
{
	unsigned char buffer[SYSCAP_FRAME_MAX];
	const struct syc_symbol_patch *patches = NULL;
	struct syscap_frame frame;
	size_t n = 0, next = 0;
	int r;

	if (rewrite->table != NULL)
		patches = syc_symbol_table_patches(rewrite->table, &n);
	syscap_reader_rewind(rewrite->reader);
	while ((r = syscap_reader_next(rewrite->reader, &frame, NULL)) != 0) {
		uint64_t end;

		if (r == -EBADMSG)
			return -EAGAIN;
		if (r > 0 && is_old_table(rewrite, &frame))
			continue;
		end = frame.offset + frame.len;
		if (next == n || patches[next].offset >= end) {
			syc_writer_add(writer, frame.bytes);
			continue;
		}
		memcpy(buffer, frame.bytes, frame.len);
		for (; next < n && patches[next].offset < end; next++)
			syc_store_u64(buffer + patches[next].offset -
			                      frame.offset,
			              patches[next].address);
		syc_writer_add(writer, buffer);
	}
	return 0;
}

static int write_frames(const struct syc_rewrite *rewrite,
                        const char *temporary, struct syscap_error *error)
{
	struct syscap_file_info info;
	struct syc_writer *writer;
	int r = syc_writer_open(temporary, true, &writer, error);

	if (r < 0)
		return r;
	syscap_reader_info(rewrite->reader, &info);
	r = syc_writer_begin_as(writer, info.begin, "", error);
	if (r == 0) {
		r = copy_frames(rewrite, writer);
		if (r == -EAGAIN)
			syc_error_set(error, EAGAIN, 0,
			              "the capture changed during reading; try "
			              "again");
		if (r == 0 && rewrite->lines != NULL)
			syc_embedded_write(writer, SYC_LINE_TABLE_PATH,
			                   rewrite->lines, rewrite->lines_size,
			                   rewrite->end);
		if (r == 0 && rewrite->table != NULL)
			syc_symbol_table_write(rewrite->table, writer,
			                       rewrite->end);
		if (r == 0) {
			r = syc_writer_finish(writer, info.end);
			if (r < 0)
				fail(error, -r);
		}
	}
	syc_writer_close(writer);
	return r;
}

/*
 * Copy the header without its losses, because the reader turned the losses into
 * a frame, which was copied.
 */
static bool copy_header(int from, int to)
{
	const ssize_t size = sizeof(struct syscap_wire_file);
	struct syscap_wire_file header;

	if (pread(from, &header, sizeof(header), 0) != size)
		return false;
	if (syc_header_losses_has_frames(&header))
		memset((char *)&header + SYC_HEADER_LOSSES_AT, 0,
		       sizeof(struct syc_header_losses));
	return pwrite(to, &header, sizeof(header), 0) == size;
}

/* Keep the old header except for its losses, and the owner and mode. */
static int finish_file(const struct syc_rewrite *rewrite, int fd,
                       struct syscap_error *error)
{
	const int source = open(rewrite->source, O_RDONLY | O_CLOEXEC);
	struct stat st;
	int r = 0;

	if (source < 0 || fstat(source, &st) != 0 || !copy_header(source, fd) ||
	    fsync(fd) != 0)
		r = fail(error, errno != 0 ? errno : EIO);
	/* If the user may not change the owner, the file stays the current
	 * user's. */
	if (r == 0 && st.st_uid != geteuid() &&
	    fchown(fd, st.st_uid, st.st_gid) != 0 && errno != EPERM)
		r = fail(error, errno);
	if (r == 0 && fchmod(fd, st.st_mode & 0777) != 0)
		r = fail(error, errno);
	if (source >= 0)
		close(source);
	return r;
}

/*
 * Check whether, during the naming, another process has begun to write to the
 * target, or has replaced the target.
 */
static int check_target(const struct syc_rewrite *rewrite,
                        struct syscap_error *error)
{
	const struct stat *const before = &rewrite->before;
	struct stat st;
	const int r = syc_in_use_check(rewrite->target, error);

	if (r != 0 || stat(rewrite->target, &st) != 0 ||
	    st.st_dev != before->st_dev || st.st_ino != before->st_ino)
		return r;
	if (st.st_size == before->st_size &&
	    st.st_mtim.tv_sec == before->st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec == before->st_mtim.tv_nsec)
		return 0;
	return syc_error_set(
		error, EAGAIN, 0,
		"another process wrote to the capture, which stays unchanged; "
		"try again");
}

int syc_rewrite_finish(const struct syc_rewrite *rewrite, int fd,
                       const char *temporary, struct syscap_error *error)
{
	int r = write_frames(rewrite, temporary, error);

	if (r == 0)
		r = finish_file(rewrite, fd, error);
	if (r == 0)
		r = check_target(rewrite, error);
	if (r == 0 && rename(temporary, rewrite->target) != 0)
		r = fail(error, errno);
	if (r < 0)
		unlink(temporary);
	close(fd);
	return r;
}
