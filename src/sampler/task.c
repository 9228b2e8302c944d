/* SPDX-License-Identifier: BSD-2-Clause */
/* task.c - the threads of this process, as /proc/self/task has them. */
#define _GNU_SOURCE
#include "sampler/task.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"

/* What getdents64() returns. */
struct entry {
	uint64_t ino;
	int64_t next;
	uint16_t len;
	uint8_t type;
	char name[];
};

int sc_task_open(void)
{
	const int fd =
		open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd >= 0 ? fd : -errno;
}

void sc_task_begin(struct sc_tasks *tasks, int dir)
{
	tasks->dir = dir;
	tasks->at = 0;
	tasks->n = 0;
	tasks->has_failed = syscall(SYS_lseek, dir, 0, SEEK_SET) != 0;
}

bool sc_task_next(struct sc_tasks *tasks, struct sc_task *ret_task)
{
	while (!tasks->has_failed) {
		if (tasks->at >= tasks->n) {
			tasks->n =
				syscall(SYS_getdents64, tasks->dir,
			                tasks->entries, sizeof(tasks->entries));
			tasks->at = 0;
			tasks->has_failed = tasks->n < 0;
			if (tasks->n <= 0)
				return false;
		}
		const struct entry *const e =
			(const struct entry *)(void *)(tasks->entries +
		                                       tasks->at);
		tasks->at += e->len;
		if (e->name[0] == '.')
			continue;
		int32_t tid = 0;
		for (const char *c = e->name; *c >= '0' && *c <= '9'; c++)
			tid = tid * 10 + (*c - '0');
		ret_task->tid = tid;
		ret_task->inode = e->ino;
		return true;
	}
	return false;
}

/* A file of @tid's folder, from its beginning, into text; NUL at the end. */
static int read_file(struct sc_tasks *tasks, int32_t tid, const char *name)
{
	const size_t size = sizeof(tasks->text);
	char path[48];
	struct sc_text text = sc_text_begin(path, sizeof(path));

	sc_text_add_i64(&text, tid);
	sc_text_add(&text, name);
	*text.at = '\0';
	const int fd = (int)syscall(SYS_openat, tasks->dir, path,
	                            O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	size_t used = 0;
	ssize_t n;
	while (used < size - 1 &&
	       (n = read(fd, tasks->text + used, size - 1 - used)) > 0)
		used += (size_t)n;
	close(fd);
	tasks->text[used] = '\0';
	return used != 0 ? 0 : -ESRCH;
}

static const char *skip_fields(const char *at, int n)
{
	while (n > 0 && *at != '\0')
		if (*at++ == ' ')
			n--;
	return at;
}

int sc_task_look(struct sc_tasks *tasks, int32_t tid,
                 struct sc_task_about *ret_about)
{
	const char *const stat = tasks->text;
	const int r = read_file(tasks, tid, "/stat");

	if (r != 0)
		return r;
	/* "TID (NAME) STATE ...": the name may hold anything */
	const char *const name = strchr(stat, '(');
	const char *const end = strrchr(stat, ')');
	if (name == NULL || end == NULL || end[1] != ' ' || end[2] == '\0')
		return -EIO;
	ret_about->is_dead = end[2] == 'Z' || end[2] == 'X' || end[2] == 'x';
	ret_about->is_ours = strncmp(name, "(syscap)", 8) == 0 ||
	                     strncmp(name, "(syscap-", 8) == 0;
	ret_about->start = 0;
	/* field 22; the state, behind the space, is field 3 */
	for (const char *c = skip_fields(end + 2, 19); *c >= '0' && *c <= '9';
	     c++)
		ret_about->start = ret_about->start * 10 + (uint64_t)(*c - '0');
	return 0;
}

static uint64_t parse_hex(const char *at)
{
	uint64_t n = 0;

	for (;; at++) {
		if (*at >= '0' && *at <= '9')
			n = n << 4 | (uint64_t)(*at - '0');
		else if (*at >= 'a' && *at <= 'f')
			n = n << 4 | (uint64_t)(*at - 'a' + 10);
		else
			return n;
	}
}

int sc_task_look_at_mask(struct sc_tasks *tasks, int32_t tid,
                         struct sc_task_about *ret_about)
{
	static const char key[] = "\nSigBlk:\t";
	int r = sc_task_look(tasks, tid, ret_about);

	if (r == 0)
		r = read_file(tasks, tid, "/status");
	if (r != 0)
		return r;
	if (tid == __atomic_load_n(&tasks->starter_tid, __ATOMIC_ACQUIRE)) {
		ret_about->blocked = tasks->starter_mask;
		return 0;
	}
	ret_about->blocked = 0;
	for (const char *line = tasks->text; line != NULL;
	     line = strchr(line + 1, '\n'))
		if (strncmp(line, key, sizeof(key) - 1) == 0)
			ret_about->blocked = parse_hex(line + sizeof(key) - 1);
	return 0;
}

bool sc_task_others_live(struct sc_tasks *tasks)
{
	const int dir = sc_task_open();
	struct sc_task_about about;
	struct sc_task task;
	bool live = false;

	if (dir < 0)
		return true;
	sc_task_begin(tasks, dir);
	while (!live && sc_task_next(tasks, &task))
		live = sc_task_look(tasks, task.tid, &about) == 0 &&
		       !about.is_dead && !about.is_ours;
	live |= tasks->has_failed;
	close(dir);
	return live;
}
