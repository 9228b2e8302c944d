/* SPDX-License-Identifier: BSD-2-Clause */
/* jitdump.c - reader of a growing jit-PID.dump. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/files.h"
#include "code/code_sources.h"
#include "code/code_table.h"
#include "common/load.h"

/*
 * Fields of the header: magic, version, size of the header, machine, padding,
 * pid, time (8 bytes), flags (8 bytes).
 */
#define MAGIC           0x4A695444u
#define HEADER_SIZE     40u
#define ARCH_TIMESTAMPS 1u

/* Fields of a record: type, length of the whole record, time (8 bytes). */
#define PREFIX_SIZE 16u
enum {
	LOAD = 0,
	MOVE = 1
};

/* Fields of LOAD: pid, tid, then vma, address, length and index of 8 bytes
 * each, then the name. */
#define LOAD_SIZE 40u
/* Fields of MOVE: pid, tid, then vma, from, to, length and index of 8 bytes
 * each. */
#define MOVE_SIZE 48u

#define WINDOW_SIZE 65536u
/* Greatest size of the needed part of a record.  The record's code is
 * skipped. */
#define MOST_NEEDED (PREFIX_SIZE + LOAD_SIZE + 4 * SYC_CODE_NAME_MAX)

struct syc_jitdump {
	int fd;
	int32_t own_pid;
	bool has_begun, big;
	bool has_room;   /* the file ends in zeros, which the runtime may
	                  * overwrite */
	int32_t pid;     /* pid in the header */
	uint64_t offset; /* offset of the next record */
	uint64_t size;   /* size of the file at the last check */
	uint64_t n_loads;
	struct syscap_error failure; /* code 0: no failure */
	/* A copied part of the file. */
	uint64_t window_offset;
	size_t window_size;
	unsigned char window[WINDOW_SIZE];
};

int syc_jitdump_new(int fd, int32_t pid, struct syc_jitdump **ret_dump)
{
	struct syc_jitdump *dump = calloc(1, sizeof(*dump));

	if (dump == NULL)
		return -ENOMEM;
	dump->fd = fd;
	dump->own_pid = pid;
	*ret_dump = dump;
	return 0;
}

void syc_jitdump_free(struct syc_jitdump *dump)
{
	if (dump == NULL)
		return;
	close(dump->fd);
	free(dump);
}

/* Read [@offset, @offset + @n) into the window.  @n is at most MOST_NEEDED. */
static int need(struct syc_jitdump *dump, uint64_t offset, size_t n,
                const unsigned char **ret_bytes)
{
	if (offset < dump->window_offset ||
	    offset - dump->window_offset > dump->window_size ||
	    dump->window_size - (offset - dump->window_offset) < n) {
		ssize_t got;

		do
			got = pread(dump->fd, dump->window, WINDOW_SIZE,
			            (off_t)offset);
		while (got < 0 && errno == EINTR);
		dump->window_offset = offset;
		dump->window_size = got > 0 ? (size_t)got : 0;
		if (got < 0)
			return -errno;
		/* The file may have been truncated since the last check. */
		if ((size_t)got < n)
			return -EIO;
	}
	*ret_bytes = dump->window + (offset - dump->window_offset);
	return 0;
}

static int read_header(struct syc_jitdump *dump, struct syscap_error *error)
{
	const unsigned char *at;
	uint32_t size, version;
	int r = need(dump, 0, HEADER_SIZE, &at);

	if (r < 0)
		return syc_error_set(error, -r, 0, "%s", strerror(-r));
	dump->big = syc_load_u32(at, true) == MAGIC;
	if (syc_load_u32(at, dump->big) != MAGIC)
		return syc_error_set(error, EBADMSG, 0,
		                     "the file is not a jitdump");
	version = syc_load_u32(at + 4, dump->big);
	if (version != 1)
		return syc_error_set(
			error, EOPNOTSUPP, 4,
			"the jitdump has the unknown version %u, not 1",
			version);
	size = syc_load_u32(at + 8, dump->big);
	if (size < HEADER_SIZE || size > WINDOW_SIZE)
		return syc_error_set(
			error, EBADMSG, 8,
			"the header has an invalid size of %u bytes", size);
	if (syc_load_u64(at + 32, dump->big) & ARCH_TIMESTAMPS)
		return syc_error_set(
			error, EOPNOTSUPP, 32,
			"the times come from the processor's counter; make "
			"the runtime use CLOCK_MONOTONIC");
	dump->pid = syc_load_i32(at + 20, dump->big);
	dump->offset = size;
	dump->has_begun = true;
	return 0;
}

static bool is_of_process(const struct syc_jitdump *dump,
                          const unsigned char *body)
{
	const int32_t pid = syc_load_i32(body, dump->big);

	return pid == dump->pid || (dump->own_pid != 0 && pid == dump->own_pid);
}

static int take_load(struct syc_jitdump *dump, const unsigned char *body,
                     size_t size, int64_t time, struct syc_code_table *table)
{
	const char *name = (const char *)body + LOAD_SIZE;
	int r = -EINVAL;

	if (size > LOAD_SIZE)
		r = syc_code_table_add(table, time,
		                       syc_load_u64(body + 16, dump->big),
		                       syc_load_u64(body + 24, dump->big), name,
		                       strnlen(name, size - LOAD_SIZE));
	dump->n_loads += r == 0;
	return r;
}

static int take_move(struct syc_jitdump *dump, const unsigned char *body,
                     size_t size, int64_t time, struct syc_code_table *table)
{
	if (size < MOVE_SIZE)
		return -EINVAL;
	return syc_code_table_move(table, time,
	                           syc_load_u64(body + 16, dump->big),
	                           syc_load_u64(body + 24, dump->big),
	                           syc_load_u64(body + 32, dump->big));
}

/* Read the record of @size bytes at @offset.  Returns 0 or -errno. */
static int take_record(struct syc_jitdump *dump, uint64_t offset, uint32_t size,
                       struct syc_code_table *table)
{
	const size_t needed = size < MOST_NEEDED ? size : MOST_NEEDED;
	const unsigned char *at;
	uint32_t type;
	uint64_t time;
	int r = need(dump, offset, PREFIX_SIZE, &at);

	if (r < 0)
		return r;
	type = syc_load_u32(at, dump->big);
	time = syc_load_u64(at + 8, dump->big);
	if (type != LOAD && type != MOVE)
		return 0;
	r = need(dump, offset, needed, &at);
	if (r < 0)
		return r;
	/* Skip malformed records, and records of other processes. */
	if (needed < PREFIX_SIZE + 4 || time > INT64_MAX ||
	    !is_of_process(dump, at + PREFIX_SIZE))
		return 0;
	r = (type == LOAD ? take_load : take_move)(dump, at + PREFIX_SIZE,
	                                           needed - PREFIX_SIZE,
	                                           (int64_t)time, table);
	return r == -EINVAL ? 0 : r;
}

/* Read the next record.  Returns 1, or 0 if the next record is incomplete. */
static int next_record(struct syc_jitdump *dump, struct syc_code_table *table,
                       struct syscap_error *error)
{
	const uint64_t left = dump->size - dump->offset;
	const unsigned char *at;
	uint32_t size;
	int r;

	if (left < PREFIX_SIZE)
		return 0;
	r = need(dump, dump->offset, PREFIX_SIZE, &at);
	if (r < 0)
		goto fail;
	size = syc_load_u32(at + 4, dump->big);
	if (size == 0 && syc_load_u32(at, dump->big) == 0 &&
	    syc_load_u64(at + 8, dump->big) == 0) {
		dump->has_room = true;
		return 0;
	}
	if (size < PREFIX_SIZE)
		return syc_error_set(error, EBADMSG, dump->offset,
		                     "a record has an invalid size of %u bytes",
		                     size);
	if (size > left)
		return 0;
	r = take_record(dump, dump->offset, size, table);
	if (r < 0)
		goto fail;
	dump->offset += size;
	return 1;
fail:
	return syc_error_set(error, -r, dump->offset, "%s",
	                     r == -ENOSPC ? "the jitdump has too many names"
	                                  : strerror(-r));
}

static int read_new(struct syc_jitdump *dump, struct syc_code_table *table,
                    struct syscap_error *error)
{
	struct stat st;
	int r = 1;

	if (fstat(dump->fd, &st) != 0)
		return syc_error_set(error, errno, 0, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return syc_error_set(error, EINVAL, 0,
		                     "the path names no regular file");
	if ((uint64_t)st.st_size == dump->size && !dump->has_room)
		return 0;
	if ((uint64_t)st.st_size < dump->size)
		return syc_error_set(
			error, EBADMSG, (uint64_t)st.st_size,
			"the jitdump became shorter during reading");
	dump->size = (uint64_t)st.st_size;
	dump->has_room = false;
	dump->window_size = 0; /* drop the window, because the file's end may be
	                        * newer */
	if (!dump->has_begun) {
		if (dump->size < HEADER_SIZE)
			return 0;
		r = read_header(dump, error);
		if (r < 0 || dump->size < dump->offset)
			return r;
		r = 1;
	}
	while (r > 0 && dump->offset <= dump->size)
		r = next_record(dump, table, error);
	return r < 0 ? r : 0;
}

int syc_jitdump_read(struct syc_jitdump *dump, struct syc_code_table *table,
                     struct syscap_error *error)
{
	struct syscap_error failure = { 0 };

	if (dump->failure.code == 0 && read_new(dump, table, &failure) < 0)
		dump->failure = failure;
	if (dump->failure.code != 0 && error != NULL)
		*error = dump->failure;
	return -dump->failure.code;
}

uint64_t syc_jitdump_loads(const struct syc_jitdump *dump)
{
	return dump->n_loads;
}

bool syc_jitdump_is_name(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t digits;

	if (name == NULL || strncmp(name, "/jit-", 5) != 0)
		return false;
	digits = strspn(name + 5, "0123456789");
	return digits > 0 && strcmp(name + 5 + digits, ".dump") == 0;
}
