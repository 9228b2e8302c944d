/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_list.c - the threads of this process, from /proc/self/task. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/text.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/threads.h"

/* glibc 2.32 has this variable; declared here for older headers */
extern char __libc_single_threaded __attribute__((weak));

static uint64_t parse_signal_set(const char *at)
{
	uint64_t n;

	syc_text_take(at, 16, &n);
	return n;
}

static uint64_t parse_decimal(const char *at)
{
	uint64_t n;

	syc_text_take(at, 10, &n);
	return n;
}

int syc_thread_list_open(void)
{
	return syc_directory_open("/proc/self/task");
}

void syc_thread_list_close(int dir)
{
	syc_directory_close(dir);
}

void syc_thread_list_begin(struct syc_thread_list *tasks, int dir)
{
	syc_directory_begin(&tasks->folder, dir);
}

bool syc_thread_list_next(struct syc_thread_list *tasks,
                          struct syc_thread_entry *ret_task)
{
	struct syc_directory_entry entry;

	if (!syc_directory_next(&tasks->folder, &entry))
		return false;
	ret_task->tid = (int32_t)parse_decimal(entry.name);
	ret_task->inode = entry.inode;
	return true;
}

static int open_file(struct syc_thread_list *tasks, int32_t tid,
                     const char *name)
{
	char path[48];
	struct syc_text text = syc_text_begin(path, sizeof(path));

	syc_text_add_i64(&text, tid);
	syc_text_add(&text, name);
	const unsigned held = syc_fd_hold();
	return syc_fd_release(held,
	                      (int)syscall(SYS_openat, tasks->folder.fd, path,
	                                   O_RDONLY | O_CLOEXEC, 0));
}

/* Read more after the first @used bytes of text, and append a NUL.  Returns
 * false if no byte was read. */
static bool read_on(struct syc_thread_list *tasks, int fd, size_t used)
{
	const size_t size = sizeof(tasks->text);
	const size_t before = used;
	long n;

	while (used < size - 1 && (n = syscall(SYS_read, fd, tasks->text + used,
	                                       size - 1 - used)) > 0)
		used += (size_t)n;
	tasks->text[used] = '\0';
	return used != before;
}

/* Read the beginning of a file in @tid's directory, as much as fits into
 * text. */
static int read_file(struct syc_thread_list *tasks, int32_t tid,
                     const char *name)
{
	const int fd = open_file(tasks, tid, name);

	if (fd < 0)
		return -errno;
	const bool has_some = read_on(tasks, fd, 0);
	syscall(SYS_close, fd);
	return has_some ? 0 : -ESRCH;
}

bool syc_thread_list_is_single(void)
{
	return &__libc_single_threaded != NULL && __libc_single_threaded != 0;
}

void syc_thread_list_note_starter(struct syc_thread_list *tasks,
                                  const uint64_t *mask)
{
	if (mask != NULL)
		tasks->starter_mask = *mask;
	__atomic_store_n(&tasks->starter_tid, mask != NULL ? gettid() : 0,
	                 __ATOMIC_RELEASE);
}

/*
 * Correct the mask in @about for a thread that works for the sampler.  The
 * thread blocks all signals during this work, so its earlier mask counts.
 */
static void correct_starter(const struct syc_thread_list *tasks, int32_t tid,
                            struct syc_thread_status *about)
{
	if (tid == __atomic_load_n(&tasks->starter_tid, __ATOMIC_ACQUIRE))
		about->blocked = tasks->starter_mask;
}

int syc_thread_list_read(struct syc_thread_list *tasks, int32_t tid,
                         struct syc_thread_status *ret_about)
{
	struct syc_proc_stat stat;
	int r = read_file(tasks, tid, "/stat");

	if (r == 0)
		r = syc_proc_stat_parse(tasks->text, &stat);
	if (r != 0)
		return r;
	ret_about->is_dead = syc_proc_stat_has_ended(&stat);
	ret_about->is_asleep = stat.fields[SYC_STAT_STATE] == 'S';
	/* The first thread is not a library thread, because the first thread
	 * has the program's name */
	ret_about->is_library_thread =
		tid != getpid() &&
		syc_library_thread_is_name(stat.name, stat.name_len);
	ret_about->start = stat.fields[SYC_STAT_START];
	ret_about->blocked = stat.fields[SYC_STAT_BLOCKED];
	ret_about->filters = 0;
	ret_about->is_strict = false;
	correct_starter(tasks, tid, ret_about);
	return 0;
}

/*
 * Read the signal mask in /proc/.../status, the number of filters, and whether
 * the thread is in seccomp's strict mode.  The file's length has no bound,
 * because one line lists all groups of the user.
 */
static int read_status(struct syc_thread_list *tasks, int32_t tid,
                       struct syc_thread_status *about)
{
	static const char mask[] = "\nSigBlk:\t", strict[] = "\nSeccomp:\t1",
			  filtered[] = "\nSeccomp:\t2",
			  filters[] = "\nSeccomp_filters:\t";
	const size_t kept_most = sizeof(filters) + 16; /* longest partial line
	                                                * to keep */
	char *const text = tasks->text;
	size_t kept = 0;
	const int fd = open_file(tasks, tid, "/status");

	if (fd < 0)
		return -errno;
	while (read_on(tasks, fd, kept)) {
		const char *const blocked = strstr(text, mask);

		if (blocked != NULL && strchr(blocked + 1, '\n') != NULL)
			about->blocked =
				parse_signal_set(blocked + sizeof(mask) - 1);
		if (strstr(text, strict) != NULL)
			about->is_strict = true;
		const char *const n = strstr(text, filters);
		if (n != NULL && strchr(n + 1, '\n') != NULL)
			about->filters = (uint32_t)parse_decimal(
				n + sizeof(filters) - 1);
		else if (about->filters == 0 && strstr(text, filtered) != NULL)
			about->filters = 1;
		const size_t used = strlen(text);
		kept = used < kept_most ? used : kept_most;
		memmove(text, text + used - kept, kept);
	}
	syscall(SYS_close, fd);
	return 0;
}

int syc_thread_list_read_mask(struct syc_thread_list *tasks, int32_t tid,
                              struct syc_thread_status *ret_about)
{
	int r = syc_thread_list_read(tasks, tid, ret_about);

	if (r == 0)
		r = read_status(tasks, tid, ret_about);
	if (r == 0)
		correct_starter(tasks, tid, ret_about);
	return r;
}

/* The file contains "NUMBER 0xARGUMENT ...", or "running" */
bool syc_thread_list_waits_for(struct syc_thread_list *tasks, int32_t tid,
                               int signal)
{
	const char *const text = tasks->text;
	uint64_t set = 0, number;

	if (read_file(tasks, tid, "/syscall") != 0)
		return false;
	const char *const argument = syc_text_take(text, 10, &number);
	if (number != SYS_rt_sigtimedwait || strncmp(argument, " 0x", 3) != 0)
		return false;
	/* The call may already have returned, and the stack may have changed or
	 * been unmapped */
	const struct iovec to = { .iov_base = &set, .iov_len = sizeof(set) };
	const struct iovec from = {
		.iov_base = (void *)(uintptr_t)parse_signal_set(argument + 3),
		.iov_len = sizeof(set),
	};
	return syscall(SYS_process_vm_readv, getpid(), &to, 1UL, &from, 1UL,
	               0UL) == (long)sizeof(set) &&
	       (set >> (signal - 1) & 1) != 0;
}

bool syc_thread_list_has_others(struct syc_thread_list *tasks)
{
	const int dir = syc_thread_list_open();
	struct syc_thread_status about;
	struct syc_thread_entry task;
	bool live = false;

	if (dir < 0)
		return true;
	syc_thread_list_begin(tasks, dir);
	while (!live && syc_thread_list_next(tasks, &task))
		live = syc_thread_list_read(tasks, task.tid, &about) == 0 &&
		       !about.is_dead && !about.is_library_thread;
	live |= tasks->folder.has_failed;
	syc_thread_list_close(dir);
	return live;
}
