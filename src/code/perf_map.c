/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_map.c - reader of a growing /tmp/perf-PID.map. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/files.h"
#include "code/code_sources.h"

/* Size of the buffer.  A longer line has a longer name than is kept. */
#define BUFFER_SIZE 65536u

/* Limit of a file's size, which suffices for ten million names.  A larger file
 * is sparse or hostile. */
#define SIZE_MAX_MAP (INT64_C(1) << 30)

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Parse a number and the following blanks. */
static bool take_number(const char **at, const char *end, uint64_t *ret_number)
{
	uint64_t number = 0;
	unsigned digits = 0;

	if (end - *at > 2 && **at == '0' && ((*at)[1] | 0x20) == 'x')
		*at += 2;
	for (; *at < end && hex_digit(**at) >= 0; ++*at, digits++) {
		if (number >> 60 != 0)
			return false;
		number = number << 4 | (unsigned)hex_digit(**at);
	}
	if (digits == 0 || *at == end || !is_blank(**at))
		return false;
	while (*at < end && is_blank(**at))
		++*at;
	*ret_number = number;
	return true;
}

bool syc_perf_map_parse(const char *line, size_t len,
                        struct syc_perf_map_line *ret_line)
{
	const char *at = line, *const end = line + len;
	uint64_t start, size;

	while (at < end && is_blank(*at))
		at++;
	if (!take_number(&at, end, &start) || !take_number(&at, end, &size) ||
	    at == end)
		return false;
	*ret_line = (struct syc_perf_map_line){
		.start = start,
		.len = size,
		.name = at,
		.name_len = (size_t)(end - at),
	};
	return true;
}

static int64_t changed_at(const struct stat *st)
{
	return st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec;
}

static int check_map_file(const struct stat *st, uid_t owner,
                          struct syscap_error *error)
{
	if (S_ISLNK(st->st_mode))
		return syc_error_set(error, ELOOP, 0,
		                     "the file is a symbolic link");
	if (!S_ISREG(st->st_mode))
		return syc_error_set(error, EINVAL, 0,
		                     "the path names no regular file");
	if (st->st_size > SIZE_MAX_MAP)
		return syc_error_set(
			error, EFBIG, 0,
			"the file has %lld MiB: files of more than 1024 MiB "
			"are not read",
			(long long)st->st_size >> 20);
	if (st->st_uid != owner)
		return syc_error_set(
			error, EPERM, 0,
			"the file belongs to user %u and not to %u",
			(unsigned)st->st_uid, (unsigned)owner);
	return 0;
}

/* Read at @offset.  Returns the number of bytes, less than @size at the end of
 * the file, or -errno. */
static ssize_t read_at(int fd, void *to, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t n = pread(fd, (char *)to + done, size - done,
		                        (off_t)(offset + done));
		if (n == 0)
			break;
		if (n > 0)
			done += (size_t)n;
		else if (errno != EINTR)
			return -errno;
	}
	return (ssize_t)done;
}

/* Return whether the file continues the file of the last check.  A file that
 * was truncated and refilled has other bytes before the offset. */
static bool is_continued(const struct syc_perf_map *map, int fd,
                         const struct stat *st)
{
	unsigned char tail[SYC_PERF_MAP_TAIL];

	return map->device == st->st_dev && map->inode == st->st_ino &&
	       map->offset <= (uint64_t)st->st_size &&
	       read_at(fd, tail, map->n_tail, map->offset - map->n_tail) ==
	               (ssize_t)map->n_tail &&
	       memcmp(tail, map->tail, map->n_tail) == 0;
}

static int keep_tail(struct syc_perf_map *map, int fd)
{
	const unsigned wanted = map->offset < SYC_PERF_MAP_TAIL
	                                ? (unsigned)map->offset
	                                : SYC_PERF_MAP_TAIL;
	const ssize_t n = read_at(fd, map->tail, wanted, map->offset - wanted);

	map->n_tail = n == (ssize_t)wanted ? wanted : 0;
	return n < 0 ? (int)n : 0;
}

static int take_line(struct syc_perf_map *map, const char *text, size_t len,
                     const struct syc_perf_map_options *options,
                     struct syc_code_table *table)
{
	struct syc_perf_map_line line;
	int r = -EINVAL;

	if (syc_perf_map_parse(text, len, &line))
		r = syc_code_table_add_late(table, options->from,
		                            options->maybe_from, line.start,
		                            line.len, line.name, line.name_len);
	if (r == -EINVAL) {
		map->n_bad++;
		return 0;
	}
	map->n_ranges += r == 0;
	return r;
}

/* Parse the lines of @text.  Stores in *@ret_used the number of bytes that are
 * not read again. */
static int take_lines(struct syc_perf_map *map, const char *text, size_t len,
                      const struct syc_perf_map_options *options,
                      struct syc_code_table *table, size_t *ret_used)
{
	size_t used = 0;
	int r = 0;

	while (r == 0 && used < len) {
		const char *line = text + used;
		const char *end = memchr(line, '\n', len - used);
		const size_t size =
			end != NULL ? (size_t)(end - line) : len - used;

		/* Parse a line without a newline only from a full buffer. */
		if (end == NULL && used > 0)
			break;
		if (end == NULL && len < BUFFER_SIZE && !map->in_long_line)
			break;
		if (!map->in_long_line)
			r = take_line(map, line, size, options, table);
		map->in_long_line = end == NULL;
		used += size + (end != NULL);
	}
	*ret_used = used;
	return r;
}

static int read_new(struct syc_perf_map *map, int fd, uint64_t end,
                    const struct syc_perf_map_options *options,
                    struct syc_code_table *table, struct syscap_error *error)
{
	char *buffer = malloc(BUFFER_SIZE);
	size_t used = 1;
	ssize_t n = 0;
	int r = 0;

	if (buffer == NULL)
		return -ENOMEM;
	while (r == 0 && used > 0 && map->offset < end) {
		const uint64_t left = end - map->offset;

		n = read_at(fd, buffer, left < BUFFER_SIZE ? left : BUFFER_SIZE,
		            map->offset);
		if (n <= 0)
			break;
		r = take_lines(map, buffer, (size_t)n, options, table, &used);
		map->offset += used;
	}
	/* Do not count the unfinished line as read, so that it is read again if
	 * it continues. */
	if (r == 0 && n > 0 && used == 0 && options->is_last)
		r = take_line(map, buffer, (size_t)n, options, table);
	free(buffer);
	if (n < 0)
		r = (int)n;
	if (r < 0)
		return syc_error_set(error, -r, map->offset, "%s",
		                     r == -ENOSPC ? "too many names"
		                                  : strerror(-r));
	r = keep_tail(map, fd);
	return r < 0 ? syc_error_set(error, -r, map->offset, "%s", strerror(-r))
	             : 0;
}

static bool is_same(const struct syc_perf_map *map, const struct stat *st)
{
	return map->any && map->device == st->st_dev &&
	       map->inode == st->st_ino && map->size == (uint64_t)st->st_size &&
	       map->changed == changed_at(st);
}

/* Determine the offset at which to continue. */
static void place(struct syc_perf_map *map, int fd, const struct stat *st,
                  int64_t not_before)
{
	if (!map->any || !is_continued(map, fd, st)) {
		map->restarts += map->any;
		map->offset = 0;
		map->n_tail = 0;
		map->in_long_line = false;
		if (changed_at(st) < not_before)
			map->offset = (uint64_t)st->st_size;
	}
	map->any = true;
	map->device = st->st_dev;
	map->inode = st->st_ino;
	map->size = (uint64_t)st->st_size;
	map->changed = changed_at(st);
}

int syc_perf_map_read(struct syc_perf_map *map, int directory, const char *name,
                      const struct syc_perf_map_options *options,
                      struct syc_code_table *table, struct syscap_error *error)
{
	struct stat st;
	int fd, r;

	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0
		                       : syc_error_set(error, errno, 0, "%s",
		                                       strerror(errno));
	r = check_map_file(&st, options->owner, error);
	if (r < 0)
		return r;
	if (is_same(map, &st) &&
	    (!options->is_last || map->offset == map->size))
		return 0;
	/* Open without blocking and without following a link, because the file
	 * may have been replaced. */
	fd = openat(directory, name,
	            O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return syc_error_set(error, errno, 0, "%s", strerror(errno));
	r = fstat(fd, &st) != 0
	            ? syc_error_set(error, errno, 0, "%s", strerror(errno))
	            : check_map_file(&st, options->owner, error);
	if (r == 0) {
		place(map, fd, &st, options->not_before);
		r = read_new(map, fd, map->size, options, table, error);
	}
	close(fd);
	return r;
}
