/* SPDX-License-Identifier: BSD-2-Clause */
/* code_process.c - data about a process that locates its JIT code tables. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "code/code_names.h"
#include "common/now.h"
#include "common/strings.h"

#define NS INT64_C(1000000000)

/* Return the number with index @which, from 1, in the line that begins with
 * @field, or the line's last number. */
static long field_of(const char *status, const char *field, unsigned which)
{
	const char *at = strstr(status, field);
	long number = -1;

	if (at == NULL)
		return -1;
	at += strlen(field);
	for (unsigned i = 0; i < which && *at != '\n' && *at != 0; i++) {
		char *end;
		const long next = strtol(at, &end, 10);

		if (end == at)
			break;
		number = next;
		at = end;
		at += strspn(at, "\t ");
	}
	return number;
}

/* Convert field 22 of stat, in clock ticks since boot, to a date. */
static int64_t find_begin(int32_t pid)
{
	const long ticks = sysconf(_SC_CLK_TCK);
	char stat[2048];
	const char *at;

	if (ticks <= 0 ||
	    syc_text_file_read_proc(pid, "stat", stat, sizeof(stat)) < 0)
		return 0;
	at = strrchr(stat, ')');
	for (unsigned field = 2; at != NULL && field < 22; field++) {
		at = strchr(at, ' ');
		if (at != NULL)
			at++;
	}
	if (at == NULL)
		return 0;
	return syc_now_of(CLOCK_REALTIME) - syc_now_of(CLOCK_BOOTTIME) +
	       (int64_t)(strtoull(at, NULL, 10) * (uint64_t)NS /
	                 (uint64_t)ticks);
}

/*
 * Open the process's own /tmp step by step, so that links cannot redirect the
 * open.  After a failure, open the caller's /tmp.
 */
static int open_tmp(int32_t pid)
{
	const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
	char path[64];
	int root, tmp = -1;

	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	root = open(path, flags);
	if (root >= 0) {
		tmp = openat(root, "tmp", flags | O_NOFOLLOW);
		close(root);
	}
	return tmp >= 0 ? tmp : open("/tmp", flags);
}

int syc_code_process_open(int32_t pid, struct syc_code_process *ret_process)
{
	struct syc_code_process process = { .pid = pid, .tmp = -1 };
	char status[8192];
	const ssize_t n =
		syc_text_file_read_proc(pid, "status", status, sizeof(status));
	long owner, own_pid;

	if (n < 0)
		return (int)n;
	/* Use the second number, the effective user, because created files
	 * belong to this user. */
	owner = field_of(status, "\nUid:", 2);
	own_pid = field_of(status, "\nNSpid:", UINT32_MAX);
	if (owner < 0)
		return -EBADMSG;
	process.owner = (uid_t)owner;
	process.own_pid = own_pid > 0 ? (int32_t)own_pid : pid;
	process.begun = find_begin(pid);
	process.tmp = open_tmp(pid);
	*ret_process = process;
	return 0;
}

void syc_code_process_close(struct syc_code_process *process)
{
	if (process->tmp >= 0)
		close(process->tmp);
	process->tmp = -1;
}

int syc_code_process_open_file(const struct syc_code_process *process,
                               const char *path)
{
	/* Open without blocking and without effects. */
	const int flags =
		O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC;
	char *inside;
	int fd;

	if (asprintf(&inside, "/proc/%d/root%s", (int)process->pid, path) < 0)
		return -ENOMEM;
	fd = open(inside, flags);
	if (fd < 0)
		fd = -errno;
	free(inside);
	return fd;
}

static bool parse_mapping(char *line, struct syc_code_mapping *ret_mapping)
{
	struct syc_code_mapping mapping = { 0 };
	char permissions[5];
	int at = 0;

	if (sscanf(line,
	           "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*x:%*x %" SCNu64
	           " %n",
	           &mapping.start, &mapping.end, permissions, &mapping.offset,
	           &mapping.inode, &at) != 5 ||
	    at == 0 || permissions[2] != 'x' || line[at] != '/')
		return false;
	mapping.path = line + at;
	line[at + (int)strcspn(line + at, "\n")] = 0;
	*ret_mapping = mapping;
	return true;
}

int syc_code_process_mappings(
	const struct syc_code_process *process,
	int (*each)(void *context, const struct syc_code_mapping *mapping),
	void *context)
{
	struct syc_code_mapping mapping;
	char *line = NULL;
	size_t size = 0;
	char path[64];
	FILE *file;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)process->pid);
	file = fopen(path, "re");
	if (file == NULL)
		return -errno;
	while (r == 0 && getline(&line, &size, file) > 0)
		if (parse_mapping(line, &mapping))
			r = each(context, &mapping);
	free(line);
	fclose(file);
	return r;
}
