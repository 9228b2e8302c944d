/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * last_thread.c - test whether only threads of this library are left in the
 * process.
 *
 * If a thread ends by the exit system call, or a seccomp filter kills a thread,
 * no other thread gets a notice.  A process lives as long as any of its
 * threads.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/text.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"
#include "session/session.h"

/* Time in which other library threads find that the process has no other
 * threads. */
#define OTHERS_MS 3000

/* --------------------------------------------------------- without /proc */

/* Return whether @tid has memory.  An ended thread that /proc still lists
 * accepts signals, but has no memory. */
static bool has_memory(int32_t tid)
{
	char from = 0, to;
	const struct iovec local = { &to, 1 }, remote = { &from, 1 };

	return syscall(SYS_process_vm_readv, tid, &local, 1UL, &remote, 1UL,
	               0UL) == 1 ||
	       errno != ESRCH;
}

static bool task_answers(int32_t pid, int32_t tid)
{
	return (syscall(SYS_tgkill, pid, tid, 0) == 0 || errno != ESRCH) &&
	       has_memory(tid);
}

static bool known_threads_live(void)
{
	const int32_t pid = getpid(), self = gettid();
	const uint32_t high =
		__atomic_load_n(&syc_process->high_water, __ATOMIC_RELAXED);
	bool live = task_answers(pid, pid);

	for (uint32_t i = 0; i < high && !live; i++) {
		const struct syc_state *const ts = syc_state_at(i);
		const int32_t tid = __atomic_load_n(&ts->tid, __ATOMIC_RELAXED);

		live = __atomic_load_n(&ts->phase, __ATOMIC_ACQUIRE) ==
		               SYC_STATE_ALIVE &&
		       tid != self && task_answers(pid, tid);
	}
	return live;
}

/* ------------------------------------------------------------------ /proc */

/* Returns 0; -ENOENT: the process has no such thread (any more); or -errno. */
static int look_at_thread(int32_t tid, struct syc_proc_stat *ret_task)
{
	return syc_proc_stat_read("/proc/self/task/", tid, ret_task);
}

static int look_at_main(struct syc_proc_stat *ret_task)
{
	return look_at_thread(getpid(), ret_task);
}

static bool is_named(const struct syc_proc_stat *task, const char *name)
{
	return syc_text_is(task->name, task->name_len, name);
}

/* Return whether @task is a library thread.  Returns false if the program has a
 * library thread's name. */
static bool is_library_thread(const struct syc_proc_stat *task,
                              const struct syc_proc_stat *main)
{
	return syc_library_thread_is_name(task->name, task->name_len) &&
	       (task->name_len != main->name_len ||
	        memcmp(task->name, main->name, task->name_len) != 0);
}

/* One record of getdents64(). */
struct dir_entry {
	uint64_t ino;
	int64_t next;
	uint16_t len;
	uint8_t type;
	char name[];
};

/* Return whether one of the @n bytes of entries is a thread of the program.  If
 * @main is NULL, return whether an entry is another thread that is not named
 * SYC_THREAD_ENDED. */
static bool has_others(const char *entries, long n,
                       const struct syc_proc_stat *main)
{
	const uint64_t self = (uint64_t)gettid();

	for (long at = 0; at < n;) {
		const struct dir_entry *const e =
			(const struct dir_entry *)(const void *)(entries + at);
		struct syc_proc_stat task;

		uint64_t tid;

		at += e->len;
		syc_text_take(e->name, 10, &tid);
		if (tid == 0 || tid == self) /* 0: a dot */
			continue;
		const int r = look_at_thread((int32_t)tid, &task);
		if (r == 0 ? !syc_proc_stat_has_ended(&task) &&
		                     (main == NULL
		                              ? !is_named(&task,
		                                          SYC_THREAD_ENDED)
		                              : !is_library_thread(&task, main))
		           : r != -ENOENT && r != -ESRCH)
			return true;
	}
	return false;
}

/* Returns 1, 0, or -errno if the answer is unknown. */
static int others_live(const struct syc_proc_stat *main)
{
	char buffer[2048] __attribute__((aligned(8)));
	bool others = false;
	long n;
	const int fd =
		syc_fd_open("/proc/self/task", O_RDONLY | O_DIRECTORY, 0);

	if (fd < 0)
		return -errno;
	while (!others &&
	       (n = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0)
		others = has_others(buffer, n, main);
	syc_fd_close(fd);
	return others || n < 0;
}

bool syc_last_thread_is_caller(int *ret_status)
{
	struct syc_proc_stat main;

	*ret_status = 0;
	if (look_at_main(&main) != 0)
		return !known_threads_live();
	if (!syc_proc_stat_has_ended(&main))
		return false;
	*ret_status = (int)main.fields[SYC_STAT_STATUS];
	const int live = others_live(&main);
	return live >= 0 ? live == 0 : !known_threads_live();
}

/* -------------------------------------------------------------------- end */

/* End the process by the signal that ended only the first thread, a filter's
 * SIGSYS. */
static void end_by_signal(int number)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = SIG_DFL;
	sigaction(number, &action, NULL);
	syscall(SYS_tgkill, getpid(), gettid(), number);
	syc_signal_mask(SIG_UNBLOCK, syc_signal_bit(number));
}

void syc_last_thread_end(int status)
{
	/* Other threads of this copy end soon, with their own status.  Threads
	 * of other copies wait for this thread, and know the same status */
	prctl(PR_SET_NAME, SYC_THREAD_ENDED);
	for (int i = 0; i < OTHERS_MS / 10 && others_live(NULL) > 0; i++)
		poll(NULL, 0, 10);
	if ((status & 0x7f) != 0)
		end_by_signal(status & 0x7f);
	for (;;)
		syscall(SYS_exit, status >> 8 & 0xff);
}
