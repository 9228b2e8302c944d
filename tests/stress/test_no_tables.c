/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_no_tables.c - no unwinder walks through code of the library without
 * unwind tables.
 *
 * lint.unwind proves it from the machine code and a list of pointers.  Here the
 * code runs step by step, and the test reads the thread's mask at each step.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#include <syscap.h>

#include "emit/process.h"
#include "harness/have_a_ring.h"
#include "harness/peer.h"
#include "harness/stepper.h"
#include "harness/test.h"
#include "harness/written.h"
#include "os/signals.h"

#define RING      (1u << 16)
#define N_STEPS   150000L /* without --whole */
#define N_THREADS 300

/* ------------------------------------------------------------- the tables */

/* libgcc's function that finds a function's tables */
struct dwarf_eh_bases {
	void *tbase, *dbase, *func;
};
extern const void *_Unwind_Find_FDE(void *pc, struct dwarf_eh_bases *bases);

extern const char __executable_start[], etext[], _start[], _init[], _fini[];

static bool lies_in(uintptr_t pc, const char *function, size_t size)
{
	return pc - (uintptr_t)function < size;
}

/* Is @pc in this program, outside of the C library's start files? */
static bool is_library_code(uintptr_t pc)
{
	return pc >= (uintptr_t)__executable_start && pc < (uintptr_t)etext &&
	       !lies_in(pc, _start, 512) && !lies_in(pc, _init, 64) &&
	       !lies_in(pc, _fini, 64);
}

static bool has_tables(uintptr_t pc)
{
	static char *known; /* per address: 0 unknown, 1 no, 2 yes */
	const size_t n = (size_t)(etext - __executable_start);
	struct dwarf_eh_bases bases;

	if (known == NULL)
		known = calloc(n, 1);
	CHECK(known != NULL);
	char *const it = &known[pc - (uintptr_t)__executable_start];
	if (*it == 0)
		*it = _Unwind_Find_FDE((void *)pc, &bases) != NULL ? 2 : 1;
	return *it == 2;
}

/* --------------------------------------------------------------- step by step */

static uint64_t mask_of(pid_t pid)
{
	uint64_t mask = 0;

	CHECK_EQ(ptrace(PTRACE_GETSIGMASK, pid, sizeof(mask), &mask), 0);
	return mask;
}

static uintptr_t pc_of(pid_t pid)
{
	struct user_regs_struct regs;

	CHECK_EQ(ptrace(PTRACE_GETREGS, pid, NULL, &regs), 0);
	return regs.rip;
}

/* Checks that all signals that can be blocked are blocked at @pc. */
static void check_place(pid_t pid, uintptr_t pc)
{
	/* The first two can't be blocked, and each step opens the third */
	const uint64_t wanted = SYC_ALL_SIGNALS & ~(syc_signal_bit(SIGKILL) |
	                                            syc_signal_bit(SIGSTOP) |
	                                            syc_signal_bit(SIGTRAP));

	if ((mask_of(pid) & wanted) == wanted)
		return;
	test_fail(__FILE__, __LINE__,
	          "signals are open at %#zx of the program, without tables",
	          (size_t)(pc - (uintptr_t)__executable_start));
}

/* Run @work in a child, and check the child at each instruction.  Returns the
 * number of instructions without tables. */
static long step_through(void (*work)(void))
{
	long n_without = 0, n = 0;
	int status;
	const pid_t pid = fork();

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		work();
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSTOPPED(status));
	while (WIFSTOPPED(status) && (test_is_whole() || n < N_STEPS)) {
		const uintptr_t pc = pc_of(pid);

		if (is_library_code(pc) && !has_tables(pc)) {
			check_place(pid, pc);
			n_without++;
		}
		n++;
		CHECK_EQ(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
	}
	if (WIFSTOPPED(status)) {
		CHECK_EQ(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
	}
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	fprintf(stderr, "%ld of %ld instructions without tables\n", n_without,
	        n);
	return n_without;
}

static void emit_and_end(void)
{
	syscap_mark("test", "mark", 1, 0, "the first event");
	syscap_mark("test", "mark", 2, 0, "another");
	syscap_drain();
	syc_at_exit_end();
}

/* Fails if the program's tables were not removed, as then there is nothing to
 * check. */
CHILD(steps)
{
	CHECK(step_through(emit_and_end) > 300);
}

static void step_by(const char *variable, int fd)
{
	const char *const env[] = { variable, "SYSCAP_THREAD=0", NULL };

	written_run("steps", NULL, env, fd);
}

TEST(signals_are_blocked_in_untabled_code_of_a_self_recording_process)
{
	char path[] = "/tmp/syscap-tables-XXXXXX", variable[64];
	const int fd = mkstemp(path);

	if (test_is_sanitized())
		SKIP("sanitizers add code to all functions");
	CHECK(fd >= 0);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	step_by(variable, -1);
	step_by("SYSPROF_TRACE_FD=3", fd);
	close(fd);
	unlink(path);
}

TEST(signals_are_blocked_in_untabled_code_of_a_recorded_process)
{
	struct peer peer;

	if (test_is_sanitized())
		SKIP("sanitizers add code to all functions");
	peer_start(&peer, "steps", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	peer_free(&peer);
}

/* ------------------------------------------------ handlers inside of emits */

static const void *caller; /* the function that emits */
static bool has_found;

static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *context,
                                         void *unused)
{
	const uintptr_t pc = _Unwind_GetIP(context);

	(void)unused;
	has_found |= _Unwind_FindEnclosingFunction((void *)pc) == caller;
	return _URC_NO_REASON;
}

static volatile bool is_emitting;

static void look_outwards(void)
{
	if (!is_emitting)
		return;
	has_found = false;
	_Unwind_Backtrace(look_at_frame, NULL);
	CHECK(has_found);
}

static __attribute__((noinline)) void emit_some(void)
{
	is_emitting = true;
	syscap_mark("test", "mark", 1, 2, "some message");
	syscap_log(SYSCAP_INFO, "test", "a line");
	is_emitting = false;
}

CHILD(unwinds_at_every_instruction)
{
	struct stepper stepper;
	long n;

	caller = (const void *)(uintptr_t)emit_some;
	stepper_install(false);
	have_a_ring();
	emit_some();
	const long stride = stepper_stride(3);
	for (n = stepper_first(stride);
	     stepper_run(&stepper, n, emit_some, look_outwards); n += stride)
		;
	CHECK(n > 100);
}

TEST(a_handler_inside_of_an_emit_unwinds_to_its_caller)
{
	struct peer peer;

	if (test_is_sanitized())
		SKIP("the preset test has it");
	peer_start(&peer, "unwinds_at_every_instruction", 1u << 20, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	peer_free(&peer);
}

/* ------------------------------------------------------------ cancellation */

static bool has_begun;

static void *emit_till_cancelled(void *unused)
{
	(void)unused;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	__atomic_store_n(&has_begun, true, __ATOMIC_RELEASE);
	for (;;) {
		syscap_mark("test", "mark", 1, 0, "some message");
		syscap_drain();
	}
	return NULL;
}

CHILD(cancels_in_calls)
{
	unsigned seed = (unsigned)test_seed();

	for (int i = 0; i < N_THREADS; i++) {
		pthread_t thread;

		__atomic_store_n(&has_begun, false, __ATOMIC_RELAXED);
		CHECK_EQ(pthread_create(&thread, NULL, emit_till_cancelled,
		                        NULL),
		         0);
		while (!__atomic_load_n(&has_begun, __ATOMIC_ACQUIRE))
			sched_yield();
		for (int n = rand_r(&seed) % 300000; n > 0; n--)
			__asm__ volatile("" ::: "memory");
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
}

TEST(a_thread_may_be_cancelled_in_untabled_code)
{
	char path[] = "/tmp/syscap-tables-XXXXXX", variable[64];
	const int fd = mkstemp(path);
	const char *const env[] = { variable, "SYSCAP_THREAD=0", NULL };

	if (test_is_sanitized())
		SKIP("a sanitizer loses track of a stack that is cut off");
	CHECK(fd >= 0);
	close(fd);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	written_run("cancels_in_calls", NULL, env, -1);
	unlink(path);
}
