/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_kill_self.c - kills of processes that record themselves.  A process's
 * own file has every published frame once; a trace fd has all events
 * older than the drain interval.  Tests also kill `recover`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "capture/recover.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

#define N_KILLS (test_is_whole() && !test_is_sanitized() ? 510u : 90u)
/* Each kill takes all earlier steps again: a second on a busy machine */
#define KILLED_IN_DRAIN (test_is_whole() && !test_is_sanitized() ? 600u : 40u)
#define AT_ONCE         6
#define N_THREADS       2
/* Age of events that must be in the file: the interval, and time for a busy
 * machine */
#define INTERVAL_NS INT64_C(50000000)
#define BUSY_NS     INT64_C(400000000)
#define N_TIMES     4096

/* A victim's own counts, in memory that outlives the victim. */
struct progress {
	volatile uint32_t published[N_THREADS];
	/* the n-th millisecond of emitter 0 began with this mark */
	volatile int64_t began;
	volatile uint32_t at_ms[N_TIMES];
};

static struct progress *map_progress(const char *path)
{
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	CHECK_EQ(ftruncate(fd, sizeof(struct progress)), 0);
	struct progress *const p = mmap(
		NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(p != MAP_FAILED);
	close(fd);
	return p;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void sleep_us(long us)
{
	const struct timespec time = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&time, NULL);
}

/* xorshift; repeats with --seed */
static unsigned random_below(unsigned n)
{
	static uint64_t state;

	if (state == 0)
		state = test_seed() | 1;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state % n);
}

static char *file_in(const char *dir, const char *name, unsigned n)
{
	char *text;

	CHECK(asprintf(&text, "%s/%s%u", dir, name, n) > 0);
	return text;
}

/* --------------------------------------------------------------- victims */

static struct progress *victims_progress;

static void *emit_for_ever(void *data)
{
	const unsigned emitter = (unsigned)(uintptr_t)data;

	for (unsigned n = 0;; n++) {
		written_mark(emitter, n);
		victims_progress->published[emitter] = n + 1;
		if (n % 20 == 0)
			sleep_us(1000);
	}
	return NULL;
}

CHILD(victim)
{
	pthread_t thread;

	victims_progress = map_progress(peer_arg());
	CHECK_EQ(pthread_create(&thread, NULL, emit_for_ever, (void *)1), 0);
	emit_for_ever((void *)0);
}

/* Emits like `victim` in one thread, and stores the times of its marks. */
CHILD(timed_victim)
{
	struct progress *const p = map_progress(peer_arg());
	const unsigned emitter = 0;

	p->began = now_ns();
	for (unsigned n = 0;; n++) {
		const int64_t ms = (now_ns() - p->began) / 1000000;

		if (ms < N_TIMES && p->at_ms[ms] == 0)
			p->at_ms[ms] = n + 1;
		written_mark(emitter, n);
		p->published[0] = n + 1;
		if (n % 20 == 0)
			sleep_us(1000);
	}
}

/* ---------------------------------------------------------- output, random */

static void check_published(const struct tally *t, const struct progress *p)
{
	unsigned published = 0;

	for (unsigned i = 0; i < N_THREADS; i++) {
		published += p->published[i];
		CHECK(t->emitters[i] <= p->published[i] + 1);
	}
	/* each published mark was received, or lost in a full ring and
	 * reported */
	CHECK(t->received + t->lost >= published);
	CHECK(t->received + t->lost <= published + N_THREADS);
	CHECK_EQ(t->doubles, 0);
	CHECK_EQ(t->torn_at, 0);
}

/* Kills a victim after 0.5 to 20 ms, times @slowness: on a busy machine a new
 * process may need longer to run at all. */
static unsigned kill_one(const char *dir, unsigned n, unsigned slowness)
{
	char *const path = file_in(dir, "out", n);
	char *const notes = file_in(dir, "notes", n);
	struct progress *const progress = map_progress(notes);
	struct syc_recovered recovered;
	struct syscap_error error;
	char variable[600];
	const char *const env[] = { variable, NULL };
	struct tally t, again;
	struct stat st;
	unsigned emitted = 0;

	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	const pid_t pid = written_start("victim", notes, env, -1);
	sleep_us((500 + random_below(20000)) * slowness *
	         (test_is_sanitized() ? 10 : 1));
	kill(pid, SIGKILL);
	CHECK_EQ(written_wait(pid), SIGKILL);
	/* The victim may have died before it made its file */
	if (stat(path, &st) == 0 && st.st_size != 0) {
		written_tally(path, &t);
		check_published(&t, progress);
		if (syc_recover(path, false, &recovered, &error) != 0)
			test_fail(__FILE__, __LINE__, "%s", error.message);
		written_tally(path, &again);
		check_published(&again, progress);
		CHECK_EQ(t.emitters[0], again.emitters[0]);
		emitted = t.emitters[0];
	} else {
		/* The thread that makes the file had not emitted.  The other
		 * thread's earlier marks are lost, and a later frame would have
		 * reported this loss */
		CHECK(progress->published[0] == 0 ||
		      progress->published[1] == 0);
	}
	munmap(progress, sizeof(*progress));
	unlink(path);
	unlink(notes);
	free(path);
	free(notes);
	return emitted;
}

TEST(events_published_before_a_kill_are_in_the_output_once)
{
	char *const dir = written_make_dir();
	unsigned n_with_events = 0, slowness = 1;

	for (unsigned n = 0; n < N_KILLS; n++) {
		if (n % 16 == 15 && n_with_events < n / 2 && slowness < 64)
			slowness *= 2;
		n_with_events += kill_one(dir, n, slowness) != 0;
	}
	CHECK(n_with_events > N_KILLS / 4);
	written_remove_dir(dir);
}

/* ------------------------------------------------------- trace fd, random */

static void check_old_ones(const char *path, const struct progress *p,
                           int64_t killed_at, unsigned *n_torn)
{
	struct syc_recovered recovered;
	struct syscap_error error;
	struct tally t;
	struct stat st;

	if (stat(path, &st) != 0 || st.st_size == 0)
		memset(&t, 0, sizeof(t));
	else
		written_tally(path, &t);
	*n_torn += t.torn_at != 0;
	int64_t ms = (killed_at - INTERVAL_NS - BUSY_NS - p->began) / 1000000;
	uint32_t old = 0;
	for (; ms >= 0 && ms < N_TIMES && old == 0; ms--)
		old = p->at_ms[ms];
	CHECK(old == 0 || t.emitters[0] + 1 >= old);
	CHECK_EQ(t.gaps, t.lost);
	CHECK_EQ(t.doubles, 0);
	if (st.st_size == 0)
		return;
	if (syc_recover(path, false, &recovered, &error) != 0)
		test_fail(__FILE__, __LINE__, "%s", error.message);
	CHECK_EQ(recovered.cut != 0, t.torn_at != 0);
	written_tally(path, &t);
	CHECK_EQ(t.torn_at, 0);
}

TEST(events_older_than_the_drain_interval_are_in_the_trace)
{
	static const char *const env[] = { "SYSPROF_TRACE_FD=3", NULL };
	char *const dir = written_make_dir();
	struct progress *progress[AT_ONCE];
	char *paths[AT_ONCE];
	pid_t pids[AT_ONCE];
	unsigned n_torn = 0;

	for (unsigned round = 0; round < N_KILLS / AT_ONCE; round++) {
		for (unsigned i = 0; i < AT_ONCE; i++) {
			char *const notes = file_in(dir, "notes", i);

			unlink(notes);
			progress[i] = map_progress(notes);
			paths[i] = file_in(dir, "out", i);
			unlink(paths[i]);
			const int fd = open(
				paths[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
			pids[i] = written_start("timed_victim", notes, env, fd);
			close(fd);
			free(notes);
		}
		sleep_us(random_below(250000));
		for (unsigned i = 0; i < AT_ONCE; i++) {
			const int64_t killed_at = now_ns();

			kill(pids[i], SIGKILL);
			CHECK_EQ(written_wait(pids[i]), SIGKILL);
			check_old_ones(paths[i], progress[i], killed_at,
			               &n_torn);
			munmap(progress[i], sizeof(struct progress));
			free(paths[i]);
		}
	}
	fprintf(stderr, "%u of %u files were torn, and cut\n", n_torn, N_KILLS);
	written_remove_dir(dir);
}

/* ---------------------------------------------- at every instruction */

/* Let @pid, which has stopped itself, make @steps steps, PTRACE_SINGLESTEP or
 * PTRACE_SYSCALL, and kill @pid.  False: @pid ended before.  *@ret_made: number
 * of steps. */
static bool kill_after(pid_t pid, unsigned long steps,
                       enum __ptrace_request step, unsigned long *ret_made)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSTOPPED(status));
	for (unsigned long i = 0; i < steps; i++) {
		*ret_made = i;
		CHECK_EQ(ptrace(step, pid, NULL, NULL), 0);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) {
			/* the victim's second SIGSTOP: the stepped code has
			 * ended */
			if (WIFSTOPPED(status))
				kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return false;
		}
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return true;
}

CHILD(stepped_victim)
{
	struct progress *const p = map_progress(peer_arg());
	unsigned n = 0;

	/* these slow first events are not stepped */
	for (; n < 30; n++)
		written_mark(0, n);
	syscap_drain();
	for (; n < 33; n++)
		written_mark(0, n);
	p->published[0] = n;
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	for (unsigned i = 0; i < 3; i++, n++) {
		written_mark(0, n);
		p->published[0] = n + 1;
	}
	syscap_drain();
	written_mark(0, n);
	p->published[0] = n + 1;
	raise(SIGSTOP);
}

static bool step_one(const char *dir, unsigned long steps,
                     unsigned long *ret_made)
{
	char *const path = file_in(dir, "out", 0);
	char *const notes = file_in(dir, "notes", 0);
	char variable[600];
	const char *const env[] = { variable, "SYSCAP_THREAD=0", NULL };
	struct syc_recovered recovered;
	struct syscap_error error;
	struct tally t;

	struct progress *const p = map_progress(notes);
	p->published[0] = 0;
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	const pid_t pid = written_start("stepped_victim", notes, env, -1);
	const bool goes_on =
		kill_after(pid, steps, PTRACE_SINGLESTEP, ret_made);
	written_tally(path, &t);
	check_published(&t, p);
	if (syc_recover(path, false, &recovered, &error) != 0)
		test_fail(__FILE__, __LINE__, "%s", error.message);
	written_tally(path, &t);
	check_published(&t, p);
	munmap(p, sizeof(*p));
	unlink(path);
	unlink(notes);
	free(path);
	free(notes);
	return goes_on;
}

/*
 * Emits are some hundred instructions, a drain some thousand.  The test stops
 * at each instruction of the emits, and at some dozens of instructions of the
 * drain, which each run chooses anew.
 */
TEST(a_kill_at_any_instruction_of_emit_and_drain_loses_nothing)
{
	char *const dir = written_make_dir();
	unsigned long steps = 0, all = 0;
	unsigned n = 0;

	CHECK(!step_one(dir, ULONG_MAX, &all));
	const unsigned stride = (unsigned)(all / KILLED_IN_DRAIN) + 1;
	for (unsigned long made; step_one(dir, steps, &made); n++) {
		if (!test_is_sanitized() && steps < 400)
			steps++;
		else
			steps += stride / 2 + 1 + random_below(stride);
	}
	CHECK(n > KILLED_IN_DRAIN / 2);
	fprintf(stderr, "killed at %u of %lu instructions\n", n, steps);
	written_remove_dir(dir);
}

CHILD(leaves_rings)
{
	for (unsigned n = 0; n < 300; n++) {
		written_mark(0, n);
		if (n == 100)
			syscap_drain();
	}
	kill(getpid(), SIGKILL);
}

static void make_orphan(const char *path)
{
	char variable[600];
	const char *const env[] = { variable, "SYSCAP_THREAD=0", NULL };

	unlink(path);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	CHECK_EQ(written_wait(written_start("leaves_rings", "", env, -1)),
	         SIGKILL);
}

static void check_orphan(const char *path)
{
	struct tally t;

	written_tally(path, &t);
	CHECK_EQ(t.emitters[0], 300);
	CHECK_EQ(t.gaps + t.doubles, 0);
	CHECK_EQ(t.torn_at, 0);
}

static bool recover_stepped(const char *path, unsigned long steps)
{
	struct syc_recovered recovered;
	struct syscap_error error;
	unsigned long made;

	fflush(NULL);
	const pid_t pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		if (syc_recover(path, false, &recovered, &error) != 0)
			_exit(1);
		raise(SIGSTOP);
		_exit(0);
	}
	return kill_after(pid, steps, PTRACE_SYSCALL, &made);
}

/*
 * A recovery changes files only by system calls, so one kill between two system
 * calls represents all such kills.
 */
TEST(a_recovery_killed_at_any_instruction_goes_on_at_the_next)
{
	char *const dir = written_make_dir();
	char *const path = file_in(dir, "out", 0);
	struct syc_recovered recovered;
	struct syscap_error error;
	unsigned long steps = 0;
	bool goes_on = true;

	while (goes_on) {
		make_orphan(path);
		check_orphan(path);
		goes_on = recover_stepped(path, steps);
		check_orphan(path);
		if (syc_recover(path, false, &recovered, &error) != 0)
			test_fail(__FILE__, __LINE__, "%s", error.message);
		check_orphan(path);
		/* nothing is left to recover */
		CHECK_EQ(syc_recover(path, false, &recovered, &error), 0);
		CHECK(!recovered.had_rings);
		steps++;
	}
	fprintf(stderr, "killed before and after %lu system calls\n",
	        steps / 2);
	CHECK(steps > 30);
	free(path);
	written_remove_dir(dir);
}
