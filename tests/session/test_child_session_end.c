/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_child_session_end.c - a forked child emits while the process that drains its
 * rings ends: no event is lost, at any step.
 *
 * This program replaces C library functions to hold threads. A child is held at
 * clock_gettime(), when it has found a drainer and has no slot yet, or at
 * open() of the ring file, when it takes over. The parent's drain thread is
 * held at open() of the child's /proc file, when it checks whether the child
 * lives. The exiting thread is held at clock_gettime(), when it waits for the
 * drain thread.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/capture.h>

#include "emit/process.h"
#include "harness/peer.h"
#include "harness/syscalls.h"
#include "harness/test.h"
#include "harness/written.h"
#include "os/syscalls.h"
#include "session/session.h"

#define EACH 50u

/* Shared memory of parent and children. */
struct stage {
	int32_t parent, child;
	bool has_emitted, go;
	bool is_guest[2];
	bool is_taking_over, has_failed, is_other_done;
	bool is_at_last_look, has_taken_over;
};

static struct stage *stage;
static struct syc_arena arena; /* the parent's arena, also used by children */
/* the recording; set only in the parent */
static const struct syc_session *session;

/* State of this process */
static unsigned number; /* index of a child: 0, 1 */
static bool hold_as_guest, hold_take_over, hold_last_look;
static unsigned n_looks, at_look; /* counts of looks by the ending parent */
static bool until_it_ends;
static __thread bool hold_until_taken_over; /* set in the exiting thread */

static void set(bool *flag)
{
	__atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

static void wait_for(const bool *flag)
{
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		usleep(100);
}

static void wait_for_parents_end(void)
{
	while (getppid() == stage->parent)
		usleep(100);
}

static void wait_for_childs_end(void)
{
	siginfo_t info;

	CHECK_EQ(waitid(P_PID, (id_t)stage->child, &info, WEXITED | WNOWAIT),
	         0);
}

static uint32_t state_of_arena(void)
{
	return syc_slot_state(__atomic_load_n(&syc_arena_head(&arena)->drainer,
	                                      __ATOMIC_ACQUIRE));
}

/* ---------------------------------------------------------- places of waits */

static bool is_guest(void)
{
	return syc_process_is_there() && syc_process->session != NULL &&
	       syc_process->session->is_guest;
}

/* Replaces the library's function (os/syscalls.h). */
int64_t __wrap_syc_kernel_clock(clockid_t id);
int64_t __wrap_syc_kernel_clock(clockid_t id)
{
	struct timespec time;

	syscall(SYS_clock_gettime, id, &time);

	if (hold_as_guest && is_guest()) {
		hold_as_guest = false;
		set(&stage->is_guest[number]);
		wait_for_parents_end();
		if (number == 1)
			wait_for(&stage->is_taking_over);
	}
	/* The exiting thread waits for the drain thread's end */
	if (hold_until_taken_over && session->deadline != 0) {
		hold_until_taken_over = false;
		wait_for(&stage->has_taken_over);
	}
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static bool is_proc_of(const char *path, int32_t pid)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
	return strcmp(path, name) == 0;
}

/* Holds the parent, which takes no new slots any more */
static void hold_parent(const char *path)
{
	if (getpid() != stage->parent || !is_proc_of(path, stage->child) ||
	    state_of_arena() != SYC_ARENA_CLOSING || ++n_looks != at_look)
		return;
	set(&stage->go);
	if (until_it_ends)
		wait_for_childs_end();
	else
		wait_for(&stage->is_at_last_look);
}

static void hold_child(const char *path)
{
	if (hold_take_over && strstr(path, ".rings") != NULL) {
		hold_take_over = false;
		set(&stage->is_taking_over);
		wait_for(&stage->is_other_done);
	}
	if (hold_last_look && is_proc_of(path, stage->parent)) {
		hold_last_look = false;
		set(&stage->is_at_last_look);
		while (state_of_arena() == SYC_ARENA_CLOSING)
			usleep(100);
	}
}

static bool take_syscall(long call, long *args, long *ret_r)
{
	const char *const path = (const char *)args[1];

	(void)ret_r;
	if (call == SYS_openat && stage != NULL) {
		if (stage->parent == getpid())
			hold_parent(path);
		else
			hold_child(path);
	}
	return false;
}

/* Keeps the parent alive after the end of its recording. */
__attribute__((destructor(101))) static void stay_until_child_ends(void)
{
	if (at_look != 0 && !until_it_ends && stage->parent == getpid())
		wait_for_childs_end();
}

/* -------------------------------------------------- deeds of the processes */

static void emit(unsigned emitter, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		written_mark(emitter, i);
}

/* Waits until the drain thread runs: without one, children record
 * themselves. */
static void begin(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE,
	             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(stage != MAP_FAILED);
	stage->parent = getpid();
	emit(0, 0, EACH);
	do {
		test_sleep_ms(1);
		syscap_get_stats(&stats);
	} while (stats.n_written == 0);
	session = syc_process->session;
	arena = session->arena;
}

CHILD(ends_when_its_child_has_no_slot)
{
	begin();
	if (fork() == 0) {
		hold_as_guest = true;
		emit(1, 0, EACH);
		syscap_drain();
		emit(1, EACH, 2 * EACH);
		exit(0);
	}
	wait_for(&stage->is_guest[0]);
}

static void be_one_of_two(void)
{
	hold_as_guest = true;
	hold_take_over = number == 0;
	emit(1 + number, 0, EACH);
	if (number == 0) {
		set(&stage->has_failed);
		exit(0);
	}
	set(&stage->is_other_done);
	wait_for(&stage->has_failed);
	syscap_drain();
	emit(2, EACH, 2 * EACH);
	exit(0);
}

CHILD(ends_when_two_children_have_no_slot)
{
	begin();
	for (number = 0; number < 2; number++)
		if (fork() == 0)
			be_one_of_two();
	wait_for(&stage->is_guest[0]);
	wait_for(&stage->is_guest[1]);
}

/* The argument "N_" holds the N-th look until the child has ended. "N" holds
 * the look until the child is in its exit. */
CHILD(ends_while_its_child_emits)
{
	begin();
	const pid_t pid = fork();
	if (pid == 0) {
		emit(1, 0, EACH);
		set(&stage->has_emitted);
		while (!__atomic_load_n(&stage->go, __ATOMIC_ACQUIRE) &&
		       getppid() == stage->parent)
			usleep(100);
		emit(1, EACH, 2 * EACH);
		if (peer_arg()[1] == '_')
			_exit(0);
		hold_last_look = true;
		exit(0);
	}
	stage->child = pid;
	wait_for(&stage->has_emitted);
	until_it_ends = peer_arg()[1] == '_';
	at_look = (unsigned)(peer_arg()[0] - '0');
}

CHILD(exits_more_slowly_than_its_child_takes_over)
{
	begin();
	if (fork() == 0) {
		emit(1, 0, EACH);
		set(&stage->has_emitted);
		while (state_of_arena() != SYC_ARENA_CLOSED)
			usleep(100);
		syscap_drain();
		set(&stage->has_taken_over);
		wait_for_parents_end();
		CHECK_EQ(syc_arena_head(&arena)->drainer,
		         syc_slot_word(getpid(), SYC_ARENA_DRAINED));
		emit(1, EACH, 2 * EACH);
		exit(0);
	}
	wait_for(&stage->has_emitted);
	hold_until_taken_over = true;
}

/* ------------------------------------------------ contents of the captures */

struct total {
	unsigned marks[3], doubles;
	uint64_t lost;
	bool seen[3][2 * EACH];
};

static void add_file(const char *path, struct total *total)
{
	struct syscap_reader *reader;
	struct syscap_frame frame;
	unsigned long long frames;
	unsigned emitter, n;

	CHECK_EQ(syscap_reader_open(path, &reader, NULL), 0);
	while (syscap_reader_next(reader, &frame, NULL) == 1) {
		if (frame.type != SYSCAP_FRAME_MARK)
			continue;
		if (sscanf(frame.mark.message, "frames=%llu", &frames) == 1)
			total->lost += frames;
		if (sscanf(frame.mark.message, "%u %u", &emitter, &n) != 2)
			continue;
		CHECK(emitter < 3 && n < 2 * EACH);
		total->marks[emitter]++;
		total->doubles += total->seen[emitter][n];
		total->seen[emitter][n] = true;
	}
	syscap_reader_close(reader);
}

static void add_dir(const char *dir, struct total *total)
{
	char path[1024];
	DIR *const d = opendir(dir);

	memset(total, 0, sizeof(*total));
	CHECK(d != NULL);
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		add_file(path, total);
	}
	closedir(d);
}

/* Runs @child until it and its children have all ended without an error. */
static void run_family(const char *child, const char *arg, const char *variable,
                       int fd)
{
	const char *const env[] = { variable, NULL };
	int status;

	CHECK_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	written_start(child, arg, env, fd);
	while (wait(&status) > 0)
		CHECK_EQ(status, 0);
}

static void run_into_output(const char *child, const char *arg,
                            struct total *total)
{
	char *const dir = written_make_dir();
	char variable[400];

	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s/out", dir);
	run_family(child, arg, variable, -1);
	add_dir(dir, total);
	written_remove_dir(dir);
}

static void run_into_trace(const char *child, const char *arg,
                           struct total *total)
{
	const int fd = memfd_create("trace", MFD_CLOEXEC);
	char link[64];

	run_family(child, arg, "SYSPROF_TRACE_FD=3", fd);
	memset(total, 0, sizeof(*total));
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	add_file(link, total);
	close(fd);
}

static void check_total(const struct total *total, unsigned first,
                        unsigned second)
{
	CHECK_EQ(total->marks[0], EACH);
	CHECK_EQ(total->marks[1], first);
	CHECK_EQ(total->marks[2], second);
	CHECK_EQ(total->doubles + total->lost, 0);
}

TEST(a_child_that_claims_a_slot_when_its_parent_has_ended_loses_nothing)
{
	struct total total;

	run_into_output("ends_when_its_child_has_no_slot", NULL, &total);
	check_total(&total, 2 * EACH, 0);
	run_into_trace("ends_when_its_child_has_no_slot", NULL, &total);
	check_total(&total, 2 * EACH, 0);
}

TEST(one_that_claims_a_slot_while_another_fails_to_take_over_loses_nothing)
{
	struct total total;

	run_into_output("ends_when_two_children_have_no_slot", NULL, &total);
	check_total(&total, EACH, 2 * EACH);
}

TEST(what_a_child_emits_until_it_ends_while_its_parent_does_is_there)
{
	static const char *const looks[] = { "1_", "2_", "3_", "4_" };
	struct total total;

	for (unsigned i = 0; i < 4; i++) {
		run_into_output("ends_while_its_child_emits", looks[i], &total);
		check_total(&total, 2 * EACH, 0);
		if (i < 2) { /* later looks have no drainer: _exit() */
			run_into_trace("ends_while_its_child_emits", looks[i],
			               &total);
			check_total(&total, 2 * EACH, 0);
		}
	}
}

TEST(a_child_that_exits_while_its_parent_ends_sees_to_its_events)
{
	static const char *const looks[] = { "1", "2" };
	struct total total;

	for (unsigned i = 0; i < 2; i++) {
		run_into_output("ends_while_its_child_emits", looks[i], &total);
		check_total(&total, 2 * EACH, 0);
		run_into_trace("ends_while_its_child_emits", looks[i], &total);
		check_total(&total, 2 * EACH, 0);
	}
}

TEST(who_has_taken_over_is_the_drainer_whatever_its_parent_does_then)
{
	struct total total;

	run_into_output("exits_more_slowly_than_its_child_takes_over", NULL,
	                &total);
	check_total(&total, 2 * EACH, 0);
}
