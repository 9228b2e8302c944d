/* SPDX-License-Identifier: BSD-2-Clause */
/* code_files.c - code tables that are still there later. */
#define _GNU_SOURCE
#include "code/code_files.h"

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

#include "code/jitdump.h"
#include "code/perf_map.h"

#define NS INT64_C(1000000000)

__attribute__((format(printf, 2, 3))) static void
tell_note(const struct syc_code_files *search, const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	if (search->options->tell == NULL)
		return;
	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return;
	search->options->tell(search->options->data, text);
	free(text);
}

/* A header's date, or one that no file can have. */
static int64_t begin_of(const char *capture_time)
{
	struct tm tm = { 0 };
	const char *const end =
		strptime(capture_time, "%Y-%m-%dT%H:%M:%S", &tm);

	return end != NULL ? timegm(&tm) * NS : INT64_MAX;
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
	if (faccessat(search->folder, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
		return 0;
	r = syc_code_names_table(search->names, pid, &table);
	if (r < 0)
		return r;
	r = syc_perf_map_read(&map, search->folder, name, &options, table,
	                      &error);
	if (r < 0 && r != -ENOMEM)
		tell_note(search, "%s: not used: %s", name, error.message);
	else if (r == 0 && map.size > 0 && map.n_ranges + map.n_bad == 0)
		tell_note(search, "%s: not used: it is older than the capture",
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
			tell_note(search, "%s: not used: %s", path,
			          strerror(errno));
		return -1;
	}
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		why = "it is no file";
	else if (st.st_uid != geteuid())
		why = "it belongs to another user";
	else if (st.st_mtim.tv_sec * NS + st.st_mtim.tv_nsec <
	         search->not_before)
		why = "it is older than the capture";
	if (why == NULL)
		return fd;
	tell_note(search, "%s: not used: %s", path, why);
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
		tell_note(search, "%s: at byte %" PRIu64 ": %s", path,
		          error.offset, error.message);
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
	const char *folder = options->perf_map_folder != NULL
	                             ? options->perf_map_folder
	                             : "/tmp";

	*search = (struct syc_code_files){
		.names = names,
		.options = options,
		.not_before = begin_of(capture_time),
		.folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC),
	};
}

void syc_code_files_close(struct syc_code_files *search)
{
	if (search->folder >= 0)
		close(search->folder);
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
