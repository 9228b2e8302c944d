/* SPDX-License-Identifier: BSD-2-Clause */
/* parts.c - loader of copies of the library, and checks of the process; see
 * parts.h. */
#define _GNU_SOURCE
#include "copies/parts.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"

extern const struct part *part_get(void) __attribute__((weak));

const struct part *parts_program(void)
{
	return part_get != NULL ? part_get() : NULL;
}

const char *parts_name(unsigned i)
{
	static const char *const names[PARTS_ALL] = { "program", "a", "b",
		                                      "c" };

	return names[i];
}

const char *parts_path(char *buffer, const char *name)
{
	const ssize_t n = readlink("/proc/self/exe", buffer, 4096 - 64);

	CHECK(n > 0);
	buffer[n] = '\0';
	sprintf(strrchr(buffer, '/') + 1, "copies_%.32s.so", name);
	return buffer;
}

const struct part *parts_open_path(const char *path, void **ret_handle)
{
	const struct part *(*get)(void);

	*ret_handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (*ret_handle == NULL)
		test_fail(__FILE__, __LINE__, "%s", dlerror());
	*(void **)&get = dlsym(*ret_handle, "part_get");
	CHECK(get != NULL);
	return get();
}

const struct part *parts_open(const char *name, void **ret_handle)
{
	char path[4096];

	return parts_open_path(parts_path(path, name), ret_handle);
}

const struct part *parts_load(const char *name)
{
	void *ignored;

	return parts_open(name, &ignored);
}

void parts_load_all(const struct part *ret_parts[PARTS_ALL])
{
	ret_parts[0] = parts_program();
	CHECK(ret_parts[0] != NULL);
	for (unsigned i = 1; i < PARTS_ALL; i++)
		ret_parts[i] = parts_load(parts_name(i));
}

void parts_emit(const struct part *part, unsigned emitter, unsigned first,
                unsigned n)
{
	for (unsigned i = first; i < first + n; i++) {
		part->mark(emitter, i);
		part->log(emitter, i);
		part->count((int64_t)i);
	}
}

void parts_check_together(const struct part *const *parts, unsigned n,
                          unsigned n_copies)
{
	static struct syscap_stats stats;

	for (unsigned i = 0; i < n; i++) {
		parts[i]->stats(&stats);
		CHECK_STR(stats.why_alone, "");
		CHECK_EQ(stats.n_copies, n_copies);
		CHECK(stats.is_active);
	}
}

void parts_check_alone(const struct part *part, const char *words)
{
	static struct syscap_stats stats;

	part->stats(&stats);
	if (*stats.why_alone == '\0' || strstr(stats.why_alone, words) == NULL)
		test_fail(__FILE__, __LINE__, "%s: why_alone is \"%s\"",
		          part->name, stats.why_alone);
	CHECK_EQ(stats.n_copies, 1);
}

unsigned parts_count_maps(const char *text, unsigned *ret_files)
{
	FILE *const maps = fopen("/proc/self/maps", "re");
	unsigned long inodes[256];
	unsigned n = 0, n_files = 0;
	char line[5000];

	CHECK(maps != NULL);
	while (fgets(line, sizeof(line), maps) != NULL) {
		unsigned long inode = 0;
		unsigned i = 0;

		if (strstr(line, text) == NULL)
			continue;
		n++;
		CHECK_EQ(sscanf(line, "%*s %*s %*s %*s %lu", &inode), 1);
		while (i < n_files && inodes[i] != inode)
			i++;
		if (i == n_files && n_files < 256)
			inodes[n_files++] = inode;
	}
	fclose(maps);
	if (ret_files != NULL)
		*ret_files = n_files;
	return n;
}

unsigned parts_count_threads(const char *name)
{
	DIR *const tasks = opendir("/proc/self/task");
	unsigned n = 0;

	CHECK(tasks != NULL);
	for (struct dirent *e; (e = readdir(tasks)) != NULL;) {
		char path[300], comm[32] = "";

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm",
		         e->d_name);
		FILE *const file = fopen(path, "re");
		if (file == NULL)
			continue;
		if (fgets(comm, sizeof(comm), file) != NULL)
			comm[strcspn(comm, "\n")] = '\0';
		n += strcmp(comm, name) == 0;
		fclose(file);
	}
	closedir(tasks);
	return n;
}

void parts_wait(pid_t pid)
{
	int status = -1;

	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}
