/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_names.c - names of JIT code by process, from the capture and from files.
 */
#define _GNU_SOURCE
#include "code/code_names.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "code/code_sources.h"
#include "common/containers.h"
#include "common/load.h"

#define CODE_FRAMES_ID "syscap.code"

static bool code_frames_is(const struct syscap_frame *frame)
{
	return frame->type == SYSCAP_FRAME_METADATA && frame->used > 0 &&
	       strcmp(frame->metadata.id, CODE_FRAMES_ID) == 0;
}

/* Parse a blank and a number. */
static bool take_number(const char **at, uint64_t *ret_number)
{
	char *end;

	if (**at != ' ' || !isxdigit((unsigned char)(*at)[1]))
		return false;
	errno = 0;
	*ret_number = strtoull(*at + 1, &end, 16);
	*at = end;
	return errno == 0;
}

static bool take_word(const char **at, const char *word)
{
	const size_t len = strlen(word);

	if (strncmp(*at, word, len) != 0)
		return false;
	*at += len;
	return true;
}

/*
 * Add the code event in @frame to @table, from the frame's time on.  Returns 0,
 * -EINVAL for a malformed event, -ENOSPC or -ENOMEM.
 */
static int code_frames_take(const struct syscap_frame *frame,
                            struct syc_code_table *table)
{
	const char *at = frame->metadata.value;
	const bool is_move = take_word(&at, "move");
	const bool is_add = !is_move && take_word(&at, "add");
	uint64_t a, b, c;

	if (!is_move && !is_add && !take_word(&at, "remove"))
		return -EINVAL;
	if (!take_number(&at, &a) || !take_number(&at, &b))
		return -EINVAL;
	if (is_add)
		return *at == ' ' ? syc_code_table_add(table, frame->time, a, b,
		                                       at + 1, strlen(at + 1))
		                  : -EINVAL;
	if (is_move)
		return take_number(&at, &c) && *at == 0
		               ? syc_code_table_move(table, frame->time, a, b,
		                                     c)
		               : -EINVAL;
	return *at == 0 ? syc_code_table_remove(table, frame->time, a, b)
	                : -EINVAL;
}

struct named_process {
	struct syc_code_table *table;
	/* Bounds of all code, so that most other addresses need no search. */
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
	/* The pid's number in the map must be its index in the array */
	if (syc_array_room(&names->processes) < 0 ||
	    syc_map_put(&names->pids, &pid, sizeof(pid), &number) < 0) {
		syc_code_table_free(process.table);
		return -ENOMEM;
	}
	names->processes.items[names->processes.n++] = process;
	*ret_table = process.table;
	return 0;
}

/* Add a code event, unless the event is malformed or does not fit. */
int syc_code_names_add(struct syc_code_names *names,
                       const struct syscap_frame *frame)
{
	struct syc_code_table *table;
	int r;

	if (!code_frames_is(frame))
		return 0;
	r = syc_code_names_table(names, frame->pid, &table);
	if (r == 0)
		r = code_frames_take(frame, table);
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

#define NS INT64_C(1000000000)

/* Return the date in the header as a time, or a time later than any file. */
static int64_t begin_of(const char *capture_time)
{
	struct tm tm = { 0 };
	const char *const end =
		strptime(capture_time, "%Y-%m-%dT%H:%M:%S", &tm);

	return end != NULL ? timegm(&tm) * NS : INT64_MAX;
}

void syc_code_note(void (*report)(void *data, const char *text), void *data,
                   const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	if (report == NULL)
		return;
	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return;
	report(data, text);
	free(text);
}

static int read_perf_map(struct syc_code_files *search, int32_t pid)
{
	const struct syc_perf_map_options options = {
		.owner = geteuid(),
		.from = SYC_CODE_ALWAYS,
		.not_before = search->not_before,
		.is_last = true,
	};
	struct syc_perf_map map = { 0 };
	struct syc_code_table *table;
	struct syscap_error error;
	char name[64];
	int r;

	snprintf(name, sizeof(name), "perf-%d.map", (int)pid);
	if (faccessat(search->directory, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
		return 0;
	r = syc_code_names_table(search->names, pid, &table);
	if (r < 0)
		return r;
	r = syc_perf_map_read(&map, search->directory, name, &options, table,
	                      &error);
	if (r < 0 && r != -ENOMEM)
		syc_code_note(search->options->tell, search->options->data,
		              "%s: not used: %s", name, error.message);
	else if (r == 0 && map.size > 0 && map.n_ranges + map.n_bad == 0)
		syc_code_note(
			search->options->tell, search->options->data,
			"%s: not used: the perf map is older than the capture",
			name);
	search->totals.n_perf_maps += map.n_ranges > 0;
	return r == -ENOMEM ? r : 0;
}

static int open_dump(const struct syc_code_files *search, const char *path)
{
	const int flags =
		O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC;
	const int fd = open(path, flags);
	struct stat st;
	const char *why = NULL;

	if (fd < 0) {
		if (errno != ENOENT)
			syc_code_note(search->options->tell,
			              search->options->data, "%s: not used: %s",
			              path, strerror(errno));
		return -1;
	}
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		why = "the path names no regular file";
	else if (st.st_uid != geteuid())
		why = "the file belongs to another user";
	else if (st.st_mtim.tv_sec * NS + st.st_mtim.tv_nsec <
	         search->not_before)
		why = "the file is older than the capture";
	if (why == NULL)
		return fd;
	syc_code_note(search->options->tell, search->options->data,
	              "%s: not used: %s", path, why);
	close(fd);
	return -1;
}

static int read_dump(struct syc_code_files *search, int32_t pid,
                     const char *path)
{
	struct syc_code_table *table;
	struct syscap_error error;
	struct syc_jitdump *dump;
	const int fd = open_dump(search, path);
	int r;

	if (fd < 0)
		return 0;
	r = syc_jitdump_new(fd, pid, &dump);
	if (r < 0) {
		close(fd);
		return r;
	}
	r = syc_code_names_table(search->names, pid, &table);
	if (r == 0)
		r = syc_jitdump_read(dump, table, &error);
	if (r < 0 && r != -ENOMEM)
		syc_code_note(search->options->tell, search->options->data,
		              "%s: at byte %" PRIu64 ": %s", path, error.offset,
		              error.message);
	search->totals.n_dumps += syc_jitdump_loads(dump) > 0;
	syc_jitdump_free(dump);
	return r == -ENOMEM ? r : 0;
}

int syc_code_files_process(struct syc_code_files *search, int32_t pid)
{
	size_t number;
	int r;

	if (pid <= 0)
		return 0;
	r = syc_map_put(&search->pids, &pid, sizeof(pid), &number);
	return r > 0 ? read_perf_map(search, pid) : r;
}

int syc_code_files_map(struct syc_code_files *search, int32_t pid,
                       const char *path)
{
	size_t number;
	char *key;
	int r;

	if (pid <= 0 || !syc_jitdump_is_name(path))
		return 0;
	r = asprintf(&key, "%d %s", (int)pid, path);
	if (r < 0)
		return -ENOMEM;
	r = syc_map_put(&search->dumps, key, (size_t)r, &number);
	free(key);
	return r > 0 ? read_dump(search, pid, path) : r;
}

void syc_code_files_open(struct syc_code_files *search,
                         struct syc_code_names *names, const char *capture_time,
                         const struct syc_code_files_options *options)
{
	const char *directory = options->perf_map_directory != NULL
	                                ? options->perf_map_directory
	                                : "/tmp";

	*search = (struct syc_code_files){
		.names = names,
		.options = options,
		.not_before = begin_of(capture_time),
		.directory = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC),
	};
}

void syc_code_files_close(struct syc_code_files *search)
{
	if (search->directory >= 0)
		close(search->directory);
	syc_map_fini(&search->pids);
	syc_map_fini(&search->dumps);
}

static int look_at(struct syc_code_files *search,
                   const struct syscap_frame *frame)
{
	if (frame->type == SYSCAP_FRAME_PROCESS)
		return syc_code_files_process(search, frame->pid);
	if (frame->type == SYSCAP_FRAME_MAP)
		return syc_code_files_map(search, frame->pid,
		                          frame->map.filename);
	return 0;
}

int syc_code_files_read(struct syc_code_names *names,
                        struct syscap_reader *reader,
                        const struct syc_code_files_options *options,
                        struct syc_code_files_totals *ret_totals)
{
	struct syscap_file_info info;
	struct syc_code_files search;
	struct syscap_frame frame;
	int r = 0, next;

	syscap_reader_info(reader, &info);
	syc_code_files_open(&search, names, info.capture_time, options);
	while (r == 0 &&
	       (next = syscap_reader_next(reader, &frame, NULL)) != 0 &&
	       next != -EBADMSG)
		if (next > 0)
			r = look_at(&search, &frame);
	*ret_totals = search.totals;
	syc_code_files_close(&search);
	return r;
}
