/* SPDX-License-Identifier: BSD-2-Clause */
/* code_watch.c - updates of a running process's code table. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "code/code_names.h"
#include "code/code_sources.h"
#include "common/containers.h"

#define NS INT64_C(1000000000)

/*
 * First and last interval of reads of the mappings.  The first reads follow
 * each other quickly, for short programs.
 */
#define FIRST_INTERVAL (NS / 100)
#define LAST_INTERVAL  NS

/* Precision of a process's start time. */
#define BEGIN_DOUBT (NS / 20)

/* Limits of the resources that one process can occupy. */
#define MOST_DUMPS 16u
#define MOST_LISTS 16u

struct dump {
	struct syc_jitdump *dump;
	char *path;
	bool is_told;
};

struct jit_list {
	struct syc_gdb_jit *jit;
	bool is_told;
};

struct syc_code_watch {
	struct syc_code_table *table;
	struct syc_code_watch_options options;
	struct syc_code_process process;
	int cwd; /* the default directory of jitdumps, or -1 */
	struct syc_perf_map perf_map;
	int perf_map_told; /* last reported errno, or 0 */
	SYC_ARRAY(struct dump) dumps;
	SYC_ARRAY(struct jit_list) lists;
	struct syc_map files; /* mapped files that were examined */
	bool any, is_maps_told;
	int64_t first;   /* time of the first check of this program */
	int64_t since;   /* time from which on new code is valid */
	int64_t program; /* the time of the last exec */
	int64_t next_maps;
};

static int open_cwd(int32_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/cwd", (int)pid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int syc_code_watch_new(int32_t pid, struct syc_code_table *table,
                       const struct syc_code_watch_options *options,
                       struct syc_code_watch **ret_watch)
{
	struct syc_code_watch *watch = calloc(1, sizeof(*watch));
	int r;

	if (watch == NULL)
		return -ENOMEM;
	watch->table = table;
	watch->options = *options;
	r = syc_code_process_open(pid, &watch->process);
	if (r < 0) {
		free(watch);
		return r;
	}
	watch->cwd = open_cwd(pid);
	watch->since = watch->program = SYC_CODE_ALWAYS;
	*ret_watch = watch;
	return 0;
}

/* Drop all state that ends at an exec. */
static void forget(struct syc_code_watch *watch)
{
	for (size_t i = 0; i < watch->dumps.n; i++) {
		syc_jitdump_free(watch->dumps.items[i].dump);
		free(watch->dumps.items[i].path);
	}
	for (size_t i = 0; i < watch->lists.n; i++)
		syc_gdb_jit_free(watch->lists.items[i].jit);
	watch->dumps.n = 0;
	watch->lists.n = 0;
	syc_map_fini(&watch->files);
	memset(&watch->files, 0, sizeof(watch->files));
}

void syc_code_watch_free(struct syc_code_watch *watch)
{
	if (watch == NULL)
		return;
	forget(watch);
	free(watch->dumps.items);
	free(watch->lists.items);
	if (watch->cwd >= 0)
		close(watch->cwd);
	syc_code_process_close(&watch->process);
	free(watch);
}

static int read_perf_map(struct syc_code_watch *watch, bool is_last)
{
	const struct syc_perf_map_options options = {
		.owner = watch->process.owner,
		.from = watch->since,
		.maybe_from = watch->program,
		.not_before = watch->process.begun - BEGIN_DOUBT,
		.is_last = is_last,
	};
	struct syscap_error error;
	char name[64];
	int r;

	if (watch->process.tmp < 0)
		return 0;
	snprintf(name, sizeof(name), "perf-%d.map",
	         (int)watch->process.own_pid);
	r = syc_perf_map_read(&watch->perf_map, watch->process.tmp, name,
	                      &options, watch->table, &error);
	if (r < 0 && r != -ENOMEM && watch->perf_map_told != error.code)
		syc_code_note(watch->options.tell, watch->options.data,
		              "/tmp/%s: not used: %s", name, error.message);
	watch->perf_map_told = r < 0 ? error.code : 0;
	return r == -ENOMEM ? r : 0;
}

/* Add a jitdump, and take ownership of @fd. */
static int add_dump(struct syc_code_watch *watch, int fd, const char *path)
{
	struct dump dump = { .path = strdup(path) };
	struct stat st;
	int r = -ENOMEM;

	if (dump.path == NULL)
		goto fail;
	r = 0;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    st.st_uid != watch->process.owner) {
		syc_code_note(
			watch->options.tell, watch->options.data,
			"%s: not used: the file does not belong to user %u",
			path, (unsigned)watch->process.owner);
		goto fail;
	}
	r = syc_jitdump_new(fd, watch->process.own_pid, &dump.dump);
	if (r < 0)
		goto fail;
	r = syc_array_push(&watch->dumps, dump);
	if (r == 0)
		return 0;
	syc_jitdump_free(dump.dump);
	free(dump.path);
	return r;
fail:
	close(fd);
	free(dump.path);
	return r;
}

static int add_list(struct syc_code_watch *watch, uint64_t descriptor)
{
	struct jit_list list = { 0 };
	int r = syc_gdb_jit_new(watch->process.pid, descriptor, &list.jit);

	if (r == 0)
		r = syc_array_push(&watch->lists, list);
	if (r < 0)
		syc_gdb_jit_free(list.jit);
	return r;
}

/* Examine the file of a mapping, once for each file. */
static int meet(void *context, const struct syc_code_mapping *mapping)
{
	struct syc_code_watch *watch = context;
	uint64_t descriptor;
	size_t number;
	char *key;
	int fd, r;

	if (watch->dumps.n >= MOST_DUMPS || watch->lists.n >= MOST_LISTS)
		return 0;
	r = asprintf(&key, "%" PRIu64 " %s", mapping->inode, mapping->path);
	if (r < 0)
		return -ENOMEM;
	r = syc_map_put(&watch->files, key, (size_t)r, &number);
	free(key);
	if (r <= 0)
		return r;
	fd = syc_code_process_open_file(&watch->process, mapping->path);
	if (syc_jitdump_is_name(mapping->path)) {
		if (fd >= 0)
			return add_dump(watch, fd, mapping->path);
		syc_code_note(watch->options.tell, watch->options.data,
		              "%s: not used: %s", mapping->path, strerror(-fd));
		return 0;
	}
	if (fd < 0) /* ignore the file, like any unreadable library */
		return fd == -ENOMEM ? fd : 0;
	r = syc_gdb_jit_find(fd, mapping->start, mapping->offset, &descriptor);
	close(fd);
	if (r == 0)
		return add_list(watch, descriptor);
	return r == -ENOMEM ? r : 0;
}

static int read_maps(struct syc_code_watch *watch, int64_t now)
{
	const int64_t age = now - watch->first;
	int64_t interval = age / 4;
	int r;

	if (interval < FIRST_INTERVAL)
		interval = FIRST_INTERVAL;
	if (interval > LAST_INTERVAL)
		interval = LAST_INTERVAL;
	watch->next_maps = now + interval;
	r = syc_code_process_mappings(&watch->process, meet, watch);
	if ((r == -EACCES || r == -EPERM) && !watch->is_maps_told) {
		watch->is_maps_told = true;
		syc_code_note(
			watch->options.tell, watch->options.data,
			"process %d: cannot read the memory to find a jitdump "
			"or a debugger's list: %s",
			(int)watch->process.pid, strerror(-r));
	}
	return r == -ENOMEM ? r : 0;
}

static int read_dumps(struct syc_code_watch *watch)
{
	struct syscap_error error;

	for (size_t i = 0; i < watch->dumps.n; i++) {
		struct dump *dump = &watch->dumps.items[i];
		const int r =
			syc_jitdump_read(dump->dump, watch->table, &error);

		if (r == -ENOMEM)
			return r;
		if (r < 0 && !dump->is_told)
			syc_code_note(watch->options.tell, watch->options.data,
			              "%s: at byte %" PRIu64 ": %s", dump->path,
			              error.offset, error.message);
		dump->is_told = r < 0;
	}
	return 0;
}

static int read_lists(struct syc_code_watch *watch, int64_t now)
{
	struct syscap_error error;

	for (size_t i = 0; i < watch->lists.n; i++) {
		struct jit_list *list = &watch->lists.items[i];
		const int r = syc_gdb_jit_look(list->jit, watch->since, now,
		                               watch->table, &error);

		if (r == -ENOMEM)
			return r;
		/* Do not report errors while the process starts or ends. */
		if (r < 0 && r != -ESRCH && r != -EFAULT && !list->is_told) {
			syc_code_note(
				watch->options.tell, watch->options.data,
				"process %d: ignored __jit_debug_descriptor: "
				"%s",
				(int)watch->process.pid, error.message);
			list->is_told = true;
		}
	}
	return 0;
}

static int look_at_files(struct syc_code_watch *watch, int64_t now,
                         bool is_last)
{
	int r = read_perf_map(watch, is_last);

	if (!watch->any)
		watch->first = now;
	if (r == 0 && (is_last || !watch->any || now >= watch->next_maps))
		r = read_maps(watch, now);
	if (r == 0)
		r = read_dumps(watch);
	if (r == 0)
		r = read_lists(watch, now);
	watch->any = true;
	watch->since = now;
	return r;
}

int syc_code_watch_look(struct syc_code_watch *watch, int64_t now)
{
	return look_at_files(watch, now, false);
}

int syc_code_watch_exec(struct syc_code_watch *watch, int64_t now)
{
	const struct syc_code_process old = watch->process;
	struct syc_code_process process;
	int r = read_perf_map(watch, false);

	if (r == 0)
		r = read_dumps(watch);
	if (r == 0)
		r = syc_code_table_remove(watch->table, now, 0,
		                          SYC_CODE_ADDRESS_END);
	if (r == -ENOSPC) /* the name that did not fit was reported */
		r = 0;
	forget(watch);
	watch->any = false;
	watch->since = watch->program = now;
	/* The process may have changed its user and its /tmp. */
	if (syc_code_process_open(old.pid, &process) == 0) {
		process.begun = old.begun;
		syc_code_process_close(&watch->process);
		watch->process = process;
		if (watch->cwd >= 0)
			close(watch->cwd);
		watch->cwd = open_cwd(old.pid);
	}
	return r;
}

/*
 * Open a jitdump whose mapping existed too briefly, at its default path.  Only
 * the file's name, owner, time and header connect the file to the process.
 */
static int guess_dump(struct syc_code_watch *watch, int directory)
{
	const int flags =
		O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC;
	struct stat st;
	char name[64];
	int fd;

	if (directory < 0 || watch->dumps.n > 0)
		return 0;
	snprintf(name, sizeof(name), "jit-%d.dump",
	         (int)watch->process.own_pid);
	fd = openat(directory, name, flags);
	if (fd < 0)
		return 0;
	if (fstat(fd, &st) != 0 || st.st_uid != watch->process.owner ||
	    st.st_mtim.tv_sec * NS + st.st_mtim.tv_nsec <
	            watch->process.begun - BEGIN_DOUBT) {
		close(fd);
		return 0;
	}
	return add_dump(watch, fd, name);
}

int syc_code_watch_finish(struct syc_code_watch *watch, int64_t now)
{
	int r = look_at_files(watch, now, true);

	if (r == 0)
		r = guess_dump(watch, watch->process.tmp);
	if (r == 0)
		r = guess_dump(watch, watch->cwd);
	return r == 0 ? read_dumps(watch) : r;
}
