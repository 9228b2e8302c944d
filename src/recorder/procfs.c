/* SPDX-License-Identifier: BSD-2-Clause */
/* procfs.c - reader of data about a process in /proc. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/strings.h"
#include "recorder/processes.h"

bool syc_procfs_parse_stat(char *stat, struct syc_procfs_identity *ret_identity)
{
	/* Search the last ')', because the name may contain any text, even ")
	 * ". */
	char *at = strrchr(stat, ')');
	char *rest, *word;

	if (at == NULL)
		return false;
	memset(ret_identity, 0, sizeof(*ret_identity));
	word = strtok_r(at + 1, " \n", &rest);
	for (unsigned field = 3; word != NULL; field++) {
		const uint64_t value = strtoull(word, NULL, 10);

		if (field == 3)
			ret_identity->state = word[0];
		else if (field == 22)
			ret_identity->start_time = value;
		else if (field == 26)
			ret_identity->start_code = value;
		else if (field == 28) {
			ret_identity->start_stack = value;
			return true;
		}
		word = strtok_r(NULL, " \n", &rest);
	}
	return false;
}

int syc_procfs_identity(int32_t pid, struct syc_procfs_identity *ret_identity)
{
	char stat[2048];
	const ssize_t n =
		syc_text_file_read_proc(pid, "stat", stat, sizeof(stat));

	if (n < 0)
		return (int)n;
	return syc_procfs_parse_stat(stat, ret_identity) ? 0 : -EBADMSG;
}

/*
 * Parse "monotonic SECONDS NANOSECONDS", the offset to the initial namespace's
 * clock.
 */
bool syc_procfs_parse_clock(const char *offsets, int64_t *ret_ns)
{
	const char *const at = strstr(offsets, "monotonic");
	long long seconds;
	long ns;

	if (at == NULL || sscanf(at, "monotonic %lld %ld", &seconds, &ns) != 2)
		return false;
	*ret_ns = (int64_t)seconds * INT64_C(1000000000) + ns;
	return true;
}

static int read_clock(int32_t pid, int64_t *ret_ns)
{
	char text[256];
	const ssize_t n = syc_text_file_read_proc(pid, "timens_offsets", text,
	                                          sizeof(text));

	if (n < 0)
		return (int)n;
	return syc_procfs_parse_clock(text, ret_ns) ? 0 : -EBADMSG;
}

/* Return the process' time namespace, or 0 if it is unknown. */
static ino_t clock_namespace(int32_t pid, const char *which)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, which);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

int syc_procfs_clock_ahead(int32_t pid, int64_t *ret_ns)
{
	const int32_t self = (int32_t)getpid();
	const ino_t its = clock_namespace(pid, "time");
	int64_t process_ns, recorder_ns;
	int r;

	if (its == clock_namespace(self, "time")) {
		*ret_ns = 0;
		return 0;
	}
	if (its == 0)
		return -ESRCH;
	/* The file timens_offsets describes the namespace of the process'
	 * future children */
	if (its != clock_namespace(pid, "time_for_children"))
		return -ENODATA;
	r = read_clock(pid, &process_ns);
	if (r == 0)
		r = read_clock(self, &recorder_ns);
	if (r == 0)
		*ret_ns = process_ns - recorder_ns;
	return r;
}

int syc_procfs_cmdline(int32_t pid, char *text, size_t size)
{
	const ssize_t n = syc_text_file_read_proc(pid, "cmdline", text, size);
	size_t len = n > 0 ? (size_t)n : 0;

	if (n < 0)
		return (int)n;
	while (len > 0 && text[len - 1] == 0)
		len--;
	for (size_t i = 0; i < len; i++)
		if (text[i] == 0)
			text[i] = ' ';
	return 0;
}

void syc_procfs_see(int32_t pid, struct syc_procfs_seen *ret_seen)
{
	ret_seen->is_there = syc_procfs_identity(pid, &ret_seen->identity) == 0;
	if (syc_procfs_cmdline(pid, ret_seen->cmdline,
	                       sizeof(ret_seen->cmdline)) != 0)
		ret_seen->cmdline[0] = 0;
}

/*
 * Parse the flags and pending signals of a thread.  A thread that exits has the
 * flag PF_EXITING.
 */
static bool is_ending(char *stat)
{
	enum {
		EXITING = 4,
		KILLED = 1 << (SIGKILL - 1)
	};
	char *const at = strrchr(stat, ')');
	char *rest, *word = at != NULL ? strtok_r(at + 1, " \n", &rest) : NULL;
	unsigned long flags = 0, pending = 0;

	for (unsigned field = 3; word != NULL; field++) {
		if (field == 9)
			flags = strtoul(word, NULL, 10);
		else if (field == 31)
			pending = strtoul(word, NULL, 10);
		word = strtok_r(NULL, " \n", &rest);
	}
	return (flags & EXITING) != 0 || (pending & KILLED) != 0;
}

bool syc_procfs_is_dying(int32_t pid)
{
	char path[64], stat[2048];
	struct dirent *entry;
	bool is_dying = true;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir != NULL && is_dying && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "task/%.20s/stat", entry->d_name);
		if (syc_text_file_read_proc(pid, path, stat, sizeof(stat)) > 0)
			is_dying = is_ending(stat);
	}
	if (dir != NULL)
		closedir(dir);
	return is_dying;
}

int syc_procfs_comm(int32_t pid, char *text, size_t size)
{
	const ssize_t n = syc_text_file_read_proc(pid, "comm", text, size);

	if (n < 0)
		return (int)n;
	text[strcspn(text, "\n")] = 0;
	return 0;
}

int syc_procfs_own_pid(int32_t pid, int32_t *ret_pid)
{
	char status[4096], *line, *word, *rest;
	const ssize_t n =
		syc_text_file_read_proc(pid, "status", status, sizeof(status));

	if (n < 0)
		return (int)n;
	*ret_pid = pid;
	line = strstr(status, "\nNSpid:");
	if (line == NULL)
		return 0;
	line += strlen("\nNSpid:");
	line[strcspn(line, "\n")] = 0;
	for (word = strtok_r(line, " \t", &rest); word != NULL;
	     word = strtok_r(NULL, " \t", &rest))
		*ret_pid = (int32_t)strtol(word, NULL, 10);
	return 0;
}

/* Undo the kernel's escape of a newline in a name, \012. */
static void unescape_path(char *path)
{
	char *to = path;

	for (; *path != 0; path++)
		if (strncmp(path, "\\012", 4) == 0) {
			*to++ = '\n';
			path += 3;
		} else {
			*to++ = *path;
		}
	*to = 0;
}

bool syc_procfs_parse_map(char *line, struct syc_procfs_map *ret_map)
{
	char perms[5];
	int path = 0;

	memset(ret_map, 0, sizeof(*ret_map));
	if (sscanf(line,
	           "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %" SCNx32
	           ":%" SCNx32 " %" SCNu64 " %n",
	           &ret_map->start, &ret_map->end, perms, &ret_map->offset,
	           &ret_map->major, &ret_map->minor, &ret_map->inode,
	           &path) != 7 ||
	    path == 0)
		return false;
	ret_map->executable = strchr(perms, 'x') != NULL;
	unescape_path(line + path);
	ret_map->path = line + path;
	return true;
}

int syc_procfs_maps(int32_t pid,
                    void (*each)(void *context,
                                 const struct syc_procfs_map *map),
                    void *context)
{
	struct syc_procfs_map map;
	char path[64];
	char *line = NULL;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	file = fopen(path, "re");
	if (file == NULL)
		return -errno;
	errno = 0;
	while (getline(&line, &size, file) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (syc_procfs_parse_map(line, &map))
			each(context, &map);
	}
	free(line);
	fclose(file);
	return 0;
}

int syc_procfs_all(void (*each)(void *context, int32_t pid), void *context)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	if (dir == NULL)
		return -errno;
	while ((entry = readdir(dir)) != NULL)
		if (isdigit((unsigned char)entry->d_name[0]))
			each(context, (int32_t)atoi(entry->d_name));
	closedir(dir);
	return 0;
}
