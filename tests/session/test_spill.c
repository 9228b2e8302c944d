/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_spill.c - the events after which a process writes out its rings, and the
 * threads that never do.
 *
 * This program replaces syscall(), by which the library writes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/process.h"
#include "harness/peer.h"
#include "harness/syscalls.h"
#include "harness/test.h"
#include "harness/written.h"
#include "os/signals.h"
#include "ring/clock.h"
#include "session/session.h"
#include "session/spill.h"

/* A quarter of a ring of 64 KiB has fewer marks */
#define QUARTER 200u

static unsigned n_writes, n_open;
static __thread bool is_event; /* this thread makes an event */

static unsigned *n_opens; /* shared with children, or NULL */
static bool closes;       /* the next write finds its fd closed */

static bool take_syscall(long number, long *args, long *ret_r)
{
	uint64_t mask = 0;

	(void)args;
	(void)ret_r;
	if (number == SYS_openat && n_opens != NULL)
		(*n_opens)++;
	if ((number != SYS_pwrite64 && number != SYS_write &&
	     number != SYS_writev && number != SYS_pwritev) ||
	    !is_event)
		return false;
	n_writes++;
	if (closes)
		syc_raw_syscall(SYS_close, args[0], 0, 0, 0, 0, 0);
	closes = false;
	syc_raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)(intptr_t)&mask,
	                8, 0, 0);
	n_open += (mask & syc_signal_bit(SIGUSR1)) == 0;
	return false;
}

static void emit(unsigned from, unsigned to)
{
	is_event = true;
	for (unsigned i = from; i < to; i++)
		written_mark(0, i);
	is_event = false;
}

/* The first event makes the capture. */
static void begin(void)
{
	written_mark(0, 0);
}

static unsigned count_written(void)
{
	struct tally t;
	struct stat st;

	/* The library's thread may not yet have begun a trace */
	if (stat(peer_arg(), &st) == 0 && st.st_size == 0)
		return 0;
	written_tally(peer_arg(), &t);
	return t.emitters[0];
}

static void run_into(const char *child, const char *extra, bool is_trace)
{
	char *const dir = written_make_dir();
	char variable[400], path[300];
	const char *const env[] = { variable, "SYSCAP_RING_KIB=64", extra,
		                    NULL };
	int fd = -1;

	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	if (is_trace) {
		strcpy(variable, "SYSPROF_TRACE_FD=3");
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		CHECK(fd >= 0);
	}
	written_run(child, path, env, fd);
	if (fd >= 0)
		close(fd);
	written_remove_dir(dir);
}

static void run(const char *child, const char *extra)
{
	run_into(child, extra, false);
}

/* After a slow write, events of half empty rings do not write for a second. */
static void wait_while_calm(void)
{
	while (__atomic_load_n(&syc_process->session->calm_until,
	                       __ATOMIC_RELAXED) > syc_clock_kernel())
		test_sleep_ms(10);
}

CHILD(emits_seldom)
{
	begin();
	emit(1, 10);
	CHECK_EQ(n_writes, 0);
	for (unsigned i = 10; i < 15; i++) {
		test_sleep_ms(110);
		wait_while_calm();
		emit(i, i + 1);
		CHECK_EQ(count_written(), i + 1);
	}
	CHECK_EQ(n_open, 0);
}

TEST(an_event_after_the_interval_writes_all_earlier_events)
{
	run("emits_seldom", NULL);
}

#define SECONDS 1u

CHILD(emits_fifty_a_second)
{
	const struct syc_session *s;

	begin();
	s = syc_process->session;
	/* The first batch has a description of the process */
	test_sleep_ms(110);
	written_mark(0, 1);
	const uint64_t before = s->n_spills;
	for (unsigned i = 0; i < 50 * SECONDS; i++) {
		test_sleep_ms(20);
		emit(2 + i, 3 + i);
	}
	const uint64_t n_batches = s->n_spills - before;
	fprintf(stderr, "%llu batches, %u writes in %u s\n",
	        (unsigned long long)n_batches, n_writes, SECONDS);
	CHECK(n_batches != 0);
	CHECK(n_batches <= 12 * SECONDS);
	CHECK(n_writes <= 2 * n_batches);
	CHECK_EQ(n_open, 0);
}

TEST(few_events_cause_few_writes)
{
	run("emits_fifty_a_second", NULL);
	run_into("emits_fifty_a_second", NULL, true);
}

/* Bursts below and above a quarter of the ring */
CHILD(emits_bursts)
{
	unsigned n = 1;

	begin();
	for (unsigned burst = 20; burst <= 2 * QUARTER; burst *= 20) {
		emit(n, n + burst);
		n += burst;
		for (unsigned i = 0; i < 2; i++) {
			test_sleep_ms(i == 0 ? 110 : 1000);
			wait_while_calm();
			emit(n, n + 1);
			n++;
			CHECK_EQ(count_written(), n);
		}
	}
}

TEST(an_event_after_a_burst_writes_the_burst)
{
	run("emits_bursts", NULL);
	run_into("emits_bursts", NULL, true);
}

CHILD(emits_a_quarter)
{
	begin();
	emit(1, QUARTER);
	CHECK(n_writes != 0);
	CHECK(count_written() > QUARTER / 2);
	CHECK_EQ(n_open, 0);
}

TEST(an_event_that_fills_a_quarter_of_a_ring_writes)
{
	run("emits_a_quarter", NULL);
}

CHILD(closes_before_a_write)
{
	begin();
	test_sleep_ms(110);
	closes = true;
	emit(1, 2);
	CHECK(!closes);
	CHECK(count_written() < 2);
	test_sleep_ms(1100);
	emit(2, 3);
	CHECK_EQ(count_written(), 3);
}

TEST(an_fd_that_is_closed_before_a_write_is_opened_again)
{
	run("closes_before_a_write", NULL);
}

static void *emit_late(void *data)
{
	test_sleep_ms(110);
	emit(0, QUARTER);
	return data;
}

CHILD(emits_in_real_time)
{
	const struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &param) != 0)
		_exit(77);
	begin();
	test_sleep_ms(110);
	emit(1, QUARTER);
	CHECK_EQ(n_writes, 0);
	CHECK_EQ(count_written(), 0);
}

TEST(a_real_time_thread_never_writes)
{
	char *const dir = written_make_dir();
	char variable[400], path[300];
	const char *const env[] = { variable, "SYSCAP_RING_KIB=64", NULL };

	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	const int status = written_wait(
		written_start("emits_in_real_time", path, env, -1));
	written_remove_dir(dir);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		SKIP("real-time threads are not allowed here");
	CHECK_EQ(status, 0);
}

CHILD(emits_beside_our_thread)
{
	/* The library's thread may make the first transfers, so a single fault
	 * of an event may have no effect */
	for (unsigned i = 0; i < 20; i++) {
		wait_while_calm();
		emit(i * QUARTER, (i + 1) * QUARTER);
		CHECK_EQ(n_writes, 0);
		while (count_written() != (i + 1) * QUARTER)
			test_sleep_ms(10);
	}
}

TEST(beside_the_librarys_thread_no_event_writes)
{
	run("emits_beside_our_thread", "SYSCAP_THREAD=1");
	run_into("emits_beside_our_thread", "SYSCAP_THREAD=1", true);
}

CHILD(emits_and_drains)
{
	begin();
	test_sleep_ms(110);
	emit(1, QUARTER);
	CHECK_EQ(n_writes, 0);
	CHECK_EQ(syscap_drain(), 0);
	CHECK_EQ(count_written(), QUARTER);
}

TEST(without_a_thread_only_the_programs_calls_write)
{
	run("emits_and_drains", "SYSCAP_THREAD=0");
}

CHILD(ends_a_thread)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, emit_late, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK_EQ(count_written(), QUARTER);
}

TEST(the_end_of_a_thread_writes)
{
	run("ends_a_thread", NULL);
}

#define N_OF_CHILD 50u

static void emit_in_child(unsigned emitter)
{
	int status;
	const pid_t pid = fork();

	if (pid == 0) {
		for (unsigned i = 0; i < N_OF_CHILD; i++)
			written_mark(emitter, i);
		exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

/* The directory of the capture becomes the root, without /proc. */
CHILD(forks_after_chroot)
{
	char dir[300];

	written_mark(0, 0);
	strcpy(dir, peer_arg());
	*strrchr(dir, '/') = '\0';
	CHECK_EQ(chroot(dir), 0);
	CHECK_EQ(chdir("/"), 0);
	emit_in_child(1);
	emit_in_child(2);
	written_mark(0, 1);
}

TEST(children_after_chroot_write_into_the_capture)
{
	char variable[400], path[300];
	/* LeakSanitizer ends a process without /proc */
	const char *const env[] = { variable, "ASAN_OPTIONS=detect_leaks=0",
		                    NULL };
	struct tally t;

	if (geteuid() != 0)
		SKIP("only root can call chroot()");
	char *const dir = written_make_dir();
	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	written_run("forks_after_chroot", path, env, -1);
	written_tally(path, &t);
	CHECK_EQ(t.emitters[0], 2);
	CHECK_EQ(t.emitters[1], N_OF_CHILD);
	CHECK_EQ(t.emitters[2], N_OF_CHILD);
	written_remove_dir(dir);
}

enum life {
	EMITS,
	LIVES,
	EMITS_AND_LIVES
};

static pid_t fork_one(enum life life)
{
	const pid_t pid = fork();

	if (pid == 0) {
		if (life != LIVES)
			written_mark(1, 0);
		if (life != EMITS)
			pause();
		_exit(0);
	}
	return pid;
}

#define N_LIVE 30u

/* While a process exits, no other process can write, so an exit must not look
 * up all related processes. */
CHILD(exits_beside_many)
{
	pid_t pids[N_LIVE];

	begin();
	for (unsigned i = 0; i < N_LIVE; i++)
		pids[i] = fork_one(EMITS_AND_LIVES);
	test_sleep_ms(100);
	unsigned *const shared =
		mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
	             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	const pid_t pid = fork();
	if (pid == 0) {
		written_mark(1, 0);
		n_opens = shared;
		/* So late, because a fork and a first mark may take longer
		 * than the time between two looks */
		syc_arena_head(&syc_process->session->arena)->looked_at =
			syc_clock_kernel();
		exit(0);
	}
	CHECK_EQ(written_wait(pid), 0);
	fprintf(stderr, "%u opened files\n", *shared);
	CHECK(*shared < N_LIVE);
	for (unsigned i = 0; i < N_LIVE; i++) {
		kill(pids[i], SIGKILL);
		written_wait(pids[i]);
	}
}

TEST(an_exit_looks_up_few_processes)
{
	run("exits_beside_many", NULL);
}

static void drain_relatives(struct syc_session *s)
{
	syc_arena_head(&s->arena)->looked_at = 0;
	CHECK_EQ(syscap_drain(), 0);
}

/* A free slot that an ended process had. */
static uint32_t find_used_slot(const struct syc_session *s)
{
	for (uint32_t i = 1; i < s->arena.n_slots; i++)
		if (syc_rings_word(s, i) == SYC_SLOT_FREE &&
		    syc_arena_ring(&s->arena, i)->since != 0)
			return i;
	CHECK(false);
	return 0;
}

/* As a process claims a slot, the header is still that of the last owner, whom
 * the process is younger than. */
CHILD(meets_a_claimed_slot)
{
	begin();
	struct syc_session *const s = syc_process->session;

	CHECK_EQ(written_wait(fork_one(EMITS)), 0);
	drain_relatives(s);
	uint32_t *const word = syc_arena_word(&s->arena, find_used_slot(s));
	test_sleep_ms(100);
	const pid_t pid = fork_one(LIVES);
	const uint32_t busy = syc_slot_word(pid, SYC_SLOT_BUSY);
	*word = busy;
	drain_relatives(s);
	CHECK_EQ(*word, busy);
	CHECK_EQ(kill(pid, SIGKILL), 0);
	written_wait(pid);
	drain_relatives(s);
	CHECK_EQ(*word, SYC_SLOT_FREE);
}

TEST(a_slot_of_an_ended_process_stays_the_next_claimants)
{
	run("meets_a_claimed_slot", NULL);
}
