/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_closing.c - the end of a session while a thread is stopped inside a
 * transfer, or inside the end of a thread.
 *
 * The test traces one thread of a program, and stops the thread at a chosen
 * instruction.  Then another thread emits, forks a child that emits, and ends
 * the session.  Each mark is in the capture once, or is reported as lost.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/capture.h>

#include "capture/recover.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"
#include "ring/arena.h"
#include "session/session.h"

#define N_OF_THREAD 5u /* marks of the stopped thread */
#define N_OF_MAIN   10u
#define N_OF_CHILD  1u

/* Memory of the test and the program */
struct gate {
	bool ends_thread; /* else the thread transfers after an event */
	bool exits;       /* else the main thread calls syscap_stop() */
	bool reuses;      /* a child gets the slot of the stopped thread */
	int32_t tid;      /* of the thread that will be stopped */
	uint64_t word;    /* address of the word of the thread's slot */
	uint64_t known;   /* address of the thread's pointer to this word */
	uint64_t lock;    /* address of the arena's lock */
	bool is_stopped, is_over;
	bool is_reused, has_emitted; /* of the child */
};

static struct gate *gate;

static void open_gate(const char *path)
{
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	CHECK_EQ(ftruncate(fd, sizeof(*gate)), 0);
	gate = mmap(NULL, sizeof(*gate), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
	            0);
	CHECK(gate != MAP_FAILED);
	close(fd);
}

static void set(bool *flag)
{
	__atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

static void wait_for(const bool *flag)
{
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		test_sleep_ms(1);
}

/* ------------------------------------------------------------ the program */

static void *be_stopped(void *data)
{
	for (unsigned i = 0; i < N_OF_THREAD; i++)
		written_mark(0, i);
	gate->word = (uintptr_t)syc_state_of(syc_self)->slot;
	gate->known = (uintptr_t)&syc_state_of(syc_self)->slot;
	gate->lock =
		(uintptr_t)&syc_arena_head(&syc_process->session->arena)->lock;
	if (!gate->ends_thread)
		test_sleep_ms(110);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	__atomic_store_n(&gate->tid, gettid(), __ATOMIC_RELEASE);
	syscall(SYS_tgkill, getpid(), gettid(), SIGSTOP);
	if (!gate->ends_thread)
		written_mark(0, N_OF_THREAD);
	return data;
}

static void run_child(void)
{
	const pid_t pid = fork();

	if (pid == 0) {
		written_mark(2, 0);
		if (gate->reuses) {
			const uint32_t *const word =
				(const uint32_t *)(uintptr_t)gate->word;

			gate->is_reused = syc_slot_pid(*word) == getpid();
			set(&gate->has_emitted);
			wait_for(&gate->is_over);
		}
		exit(0);
	}
	CHECK(pid > 0);
	if (gate->reuses)
		wait_for(&gate->has_emitted);
	else
		CHECK_EQ(written_wait(pid), 0);
}

CHILD(closes)
{
	pthread_t thread;

	open_gate(peer_arg());
	written_mark(1, 0);
	CHECK_EQ(pthread_create(&thread, NULL, be_stopped, NULL), 0);
	wait_for(&gate->is_stopped);
	if (gate->reuses)
		CHECK_EQ(syscap_drain(), 0);
	for (unsigned i = 1; i < N_OF_MAIN / 2; i++)
		written_mark(1, i);
	run_child();
	for (unsigned i = N_OF_MAIN / 2; i < N_OF_MAIN; i++)
		written_mark(1, i);
	if (gate->exits)
		exit(0);
	syscap_stop();
	set(&gate->is_over);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	while (wait(NULL) > 0)
		;
	exit(0);
}

/* ---------------------------------------------------------------- the test */

/* Resume the thread until its next stop.  Returns false if it has ended. */
static bool resume(int32_t tid, bool by_instruction)
{
	int status;

	CHECK_EQ(ptrace(by_instruction ? PTRACE_SINGLESTEP : PTRACE_SYSCALL,
	                tid, NULL, NULL),
	         0);
	CHECK_EQ(waitpid(tid, &status, __WALL), tid);
	return WIFSTOPPED(status);
}

/* Stop at the begin or end of the @n_calls-th system call, and then after
 * @n_steps instructions. */
static bool stop_at(int32_t tid, unsigned n_calls, unsigned n_steps)
{
	for (unsigned i = 0; i < n_calls; i++)
		if (!resume(tid, false))
			return false;
	for (unsigned i = 0; i < n_steps; i++)
		if (!resume(tid, true))
			return false;
	return true;
}

static uint32_t read_word(pid_t pid, uint64_t address)
{
	uint32_t word;
	const struct iovec to = { &word, sizeof(word) },
			   from = { (void *)(uintptr_t)address, sizeof(word) };

	CHECK_EQ(process_vm_readv(pid, &to, 1, &from, 1, 0), sizeof(word));
	return word;
}

/* The thread no longer uses a slot that other threads may get. */
static bool stop_after_slot_end(int32_t tid, pid_t pid)
{
	do
		CHECK(resume(tid, true));
	while (syc_slot_state(read_word(pid, gate->word)) == SYC_SLOT_LIVE);
	CHECK_EQ(read_word(pid, gate->known), 0);
	CHECK_EQ(read_word(pid, gate->known + 4), 0);
	return true;
}

static unsigned count_damages(const char *path)
{
	struct syscap_reader *reader;
	struct syscap_frame frame;
	unsigned n = 0;

	CHECK_EQ(syscap_reader_open(path, &reader, NULL), 0);
	while (syscap_reader_next(reader, &frame, NULL) > 0)
		n += frame.type == SYSCAP_FRAME_METADATA &&
		     strcmp(frame.metadata.id, "syscap.damaged") == 0;
	syscap_reader_close(reader);
	return n;
}

/* An exit waits for the lock of a trace for a limited time only.  Then no
 * thread reports the unwritten events. */
static void check_capture(const char *path, bool is_output, bool is_locked)
{
	const unsigned sent =
		N_OF_THREAD + !gate->ends_thread + N_OF_MAIN + N_OF_CHILD;
	struct syc_recovered recovered;
	const bool may_lose = !is_output && gate->exits && is_locked;
	struct tally t;
	struct stat st;

	CHECK_EQ(stat(path, &st), 0);
	if (may_lose && st.st_size == 0)
		return;
	if (is_output)
		syc_recover(path, false, &recovered, NULL);
	written_tally(path, &t);
	CHECK_EQ(t.torn_at, 0);
	CHECK_EQ(t.doubles, 0);
	CHECK_EQ(t.unnamed, 0);
	if (may_lose)
		CHECK(t.received + t.lost <= sent);
	else
		CHECK_EQ(t.received + t.lost, sent);
	CHECK_EQ(count_damages(path), 0);
}

/* Returns false if the thread has fewer positions. */
static bool run(const struct gate *what, bool is_output, unsigned n_calls,
                unsigned n_steps)
{
	char *const dir = written_make_dir();
	char path[300], gate_path[300], variable[400];
	const char *const env[] = { variable, "SYSCAP_RING_KIB=64", NULL };
	int fd = -1;

	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(gate_path, sizeof(gate_path), "%s/gate", dir);
	open_gate(gate_path);
	*gate = *what;
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	if (!is_output) {
		strcpy(variable, "SYSPROF_TRACE_FD=3");
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		CHECK(fd >= 0);
	}
	const pid_t pid = written_start("closes", gate_path, env, fd);
	int32_t tid;
	while ((tid = __atomic_load_n(&gate->tid, __ATOMIC_ACQUIRE)) == 0)
		test_sleep_ms(1);
	int status;
	CHECK_EQ(waitpid(tid, &status, __WALL), tid);
	CHECK(WIFSTOPPED(status));
	const bool is_stopped = what->reuses ? stop_after_slot_end(tid, pid)
	                                     : stop_at(tid, n_calls, n_steps);
	const bool is_locked = is_stopped && read_word(pid, gate->lock) != 0;
	set(&gate->is_stopped);
	if (is_stopped && !what->exits) {
		wait_for(&gate->is_over);
		ptrace(PTRACE_DETACH, tid, NULL, NULL);
	} else if (is_stopped) { /* killed by exit() */
		CHECK_EQ(waitpid(tid, &status, __WALL), tid);
	}
	CHECK_EQ(written_wait(pid), 0);
	check_capture(path, is_output, is_locked);
	if (what->reuses)
		CHECK(gate->is_reused);
	munmap(gate, sizeof(*gate));
	if (fd >= 0)
		close(fd);
	written_remove_dir(dir);
	return is_stopped;
}

/* Positions between two stops at system calls. */
#define N_STEPS 40u

static void run_all(bool ends_thread, bool exits, bool is_output)
{
	const struct gate what = { .ends_thread = ends_thread, .exits = exits };
	/* A stopped writer of a trace costs its relatives 2 s each */
	const unsigned by = test_is_whole() ? 1 : is_output ? 24 : 100;
	const unsigned first = 1 + (unsigned)test_seed() % by;
	unsigned n = first;

	for (; run(&what, is_output, n,
	           test_is_whole() ? n * 7 % N_STEPS : n % 3 * 7);
	     n += by)
		;
	fprintf(stderr, "%u stops at system calls\n", n);
}

TEST(a_session_ends_while_a_thread_transfers)
{
	run_all(false, false, true);
}

TEST(a_process_exits_while_a_thread_transfers)
{
	run_all(false, true, true);
}

TEST(a_session_ends_while_a_thread_ends)
{
	run_all(true, false, true);
}

TEST(a_process_exits_while_a_thread_ends)
{
	run_all(true, true, true);
}

TEST(a_trace_ends_while_a_thread_transfers)
{
	run_all(false, false, false);
}

TEST(a_process_with_a_trace_exits_while_a_thread_transfers)
{
	run_all(false, true, false);
}

TEST(a_slot_that_a_thread_gave_back_is_not_its_own)
{
	const struct gate what = { .ends_thread = true, .reuses = true };

	run(&what, true, 0, 0);
}
