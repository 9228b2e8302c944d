/* SPDX-License-Identifier: BSD-2-Clause */
/* alone.c - whether only threads of this library are left in the process. */
#define _GNU_SOURCE
#include "selfrec/alone.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/text.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "os/own_thread.h"

/* How long other threads of ours may take to find that they are alone. */
#define OTHERS_MS 3000

/* --------------------------------------------------------- without /proc */

/* One that has ended and stays listed takes signals, but has no memory. */
static bool has_memory(int32_t tid)
{
	char from = 0, to;
	const struct iovec local = { &to, 1 }, remote = { &from, 1 };

	return syscall(SYS_process_vm_readv, tid, &local, 1, &remote, 1, 0) ==
	               1 ||
	       errno != ESRCH;
}

static bool answers(int32_t pid, int32_t tid)
{
	return (syscall(SYS_tgkill, pid, tid, 0) == 0 || errno != ESRCH) &&
	       has_memory(tid);
}

static bool known_ones_live(void)
{
	const int32_t pid = getpid(), self = gettid();
	const uint32_t high =
		__atomic_load_n(&syc_process->high_water, __ATOMIC_RELAXED);
	bool live = answers(pid, pid);

	for (uint32_t i = 0; i < high && !live; i++) {
		const struct syc_state *const ts = syc_state_at(i);
		const int32_t tid = __atomic_load_n(&ts->tid, __ATOMIC_RELAXED);

		live = __atomic_load_n(&ts->phase, __ATOMIC_ACQUIRE) ==
		               SYC_STATE_ALIVE &&
		       tid != self && answers(pid, tid);
	}
	return live;
}

/* ------------------------------------------------------------------ /proc */

static int32_t number(const char *text)
{
	int32_t n = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		n = n * 10 + (*text - '0');
	return n;
}

struct task {
	char name[32];
	size_t name_len;
	char state;
	int status; /* of one that has ended */
};

/* 0, -ENOENT: there is no such thread (any more), or -errno. */
static int look(const char *tid, struct task *ret_task)
{
	char path[64], stat[1024];
	struct syc_text text = syc_text_begin(path, sizeof(path));

	syc_text_add(&text, "/proc/self/task/");
	syc_text_add(&text, tid);
	syc_text_add(&text, "/stat");
	*text.at = '\0';
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	const ssize_t n = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	if (n <= 0)
		return -ENOENT;
	stat[n] = '\0';
	/* "TID (NAME) STATE ...": the name may hold anything */
	const char *const name = strchr(stat, '(');
	const char *const end = strrchr(stat, ')');
	if (name == NULL || end == NULL || end[1] != ' ')
		return -EIO;
	ret_task->name_len = (size_t)(end - name - 1);
	if (ret_task->name_len >= sizeof(ret_task->name))
		ret_task->name_len = sizeof(ret_task->name) - 1;
	memcpy(ret_task->name, name + 1, ret_task->name_len);
	ret_task->state = end[2];
	const char *const last = strrchr(end, ' '); /* field 52 */
	ret_task->status = number(last + 1);
	return 0;
}

static bool has_ended(const struct task *task)
{
	return task->state == 'Z' || task->state == 'X';
}

static int look_at_main(struct task *ret_task)
{
	char name[16];
	struct syc_text text = syc_text_begin(name, sizeof(name));

	syc_text_add_i64(&text, getpid());
	*text.at = '\0';
	return look(name, ret_task);
}

bool syc_alone_main_lives(void)
{
	const int32_t pid = getpid();
	struct task task;

	return look_at_main(&task) == 0 ? !has_ended(&task) : answers(pid, pid);
}

bool syc_alone_sees_all(void)
{
	struct task task;

	return look_at_main(&task) == 0;
}

uint32_t *syc_alone_main_word(void)
{
	uint32_t *word = NULL;

	/* Of a C library that has all threads share one word, or of a raw
	 * clone(), it is nobody's */
	if (gettid() != getpid() ||
	    prctl(PR_GET_TID_ADDRESS, &word, 0, 0, 0) != 0 || word == NULL ||
	    __atomic_load_n(word, __ATOMIC_RELAXED) != (uint32_t)getpid())
		return NULL;
	return word;
}

static bool is_named(const struct task *task, const char *name)
{
	return task->name_len == strlen(name) &&
	       memcmp(task->name, name, task->name_len) == 0;
}

/* Not where the program is called like them. */
static bool is_ours(const struct task *task, const struct task *main)
{
	return syc_own_thread_is_name(task->name, task->name_len) &&
	       (task->name_len != main->name_len ||
	        memcmp(task->name, main->name, task->name_len) != 0);
}

/* What getdents64() returns. */
struct dir_entry {
	uint64_t ino;
	int64_t next;
	uint16_t len;
	uint8_t type;
	char name[];
};

/* One of the @n bytes of entries is a thread of the program's; or, with @main
 * NULL, any but this one that does not wait as this one does. */
static bool has_others(const char *entries, long n, const struct task *main)
{
	const int32_t self = gettid();

	for (long at = 0; at < n;) {
		const struct dir_entry *const e =
			(const struct dir_entry *)(const void *)(entries + at);
		struct task task;

		at += e->len;
		if (e->name[0] == '.' || number(e->name) == self)
			continue;
		const int r = look(e->name, &task);
		if (r == 0 ? !has_ended(&task) &&
		                     (main == NULL ? !is_named(&task,
		                                               SYC_THREAD_ENDED)
		                                   : !is_ours(&task, main))
		           : r != -ENOENT && r != -ESRCH)
			return true;
	}
	return false;
}

/* 1, 0, or -errno: nobody can tell. */
static int others_live(const struct task *main)
{
	char buffer[2048] __attribute__((aligned(8)));
	bool others = false;
	long n;
	const int fd =
		open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	while (!others &&
	       (n = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0)
		others = has_others(buffer, n, main);
	close(fd);
	return others || n < 0;
}

bool syc_alone_is(int *ret_status)
{
	struct task main;

	*ret_status = 0;
	if (look_at_main(&main) != 0)
		return !known_ones_live();
	if (!has_ended(&main))
		return false;
	*ret_status = main.status;
	const int live = others_live(&main);
	return live >= 0 ? live == 0 : !known_ones_live();
}

/* -------------------------------------------------------------------- end */

/* By the signal that ended the first thread alone: a filter's SIGSYS. */
static void end_by_signal(int number)
{
	struct sigaction action;
	sigset_t only;

	memset(&action, 0, sizeof(action));
	action.sa_handler = SIG_DFL;
	sigaction(number, &action, NULL);
	sigemptyset(&only);
	sigaddset(&only, number);
	syscall(SYS_tgkill, getpid(), gettid(), number);
	pthread_sigmask(SIG_UNBLOCK, &only, NULL);
}

void syc_alone_end(int status)
{
	/* Others of ours end soon, with a status of their own; but for those of
	 * other copies, which wait for this one and know the same status */
	prctl(PR_SET_NAME, SYC_THREAD_ENDED);
	for (int i = 0; i < OTHERS_MS / 10 && others_live(NULL) > 0; i++)
		poll(NULL, 0, 10);
	if ((status & 0x7f) != 0)
		end_by_signal(status & 0x7f);
	for (;;)
		syscall(SYS_exit, status >> 8 & 0xff);
}
