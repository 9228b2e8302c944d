/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_spill_stack.c - depth of the stack of an event that writes.  The event
 * runs on a fibre of 8 KiB, in a thread of 16 KiB, and on an alternate stack.
 *
 * The stacks lie above guard pages, and are painted before the event.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

#define PAINT 0xA5
/* Greatest depth of an event that writes, below its caller: usually, and if it
 * describes a related process that has ended. */
#define DEPTH_MAX          2048u
#define DEPTH_RELATIVE_MAX 3584u

/* More than the interval of checks for related processes that have ended */
#define RELATIVES_MS 450

static unsigned char *entry; /* of the function that emits */
static unsigned n_marks;

static unsigned char *make_stack(size_t size)
{
	unsigned char *const all = mmap(NULL, 4096 + size, PROT_NONE,
	                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(all != MAP_FAILED);
	CHECK_EQ(mprotect(all + 4096, size, PROT_READ | PROT_WRITE), 0);
	memset(all + 4096, PAINT, size);
	return all + 4096;
}

static size_t measure(const unsigned char *stack)
{
	const unsigned char *at = stack;

	while (*at == PAINT)
		at++;
	CHECK(at > stack);
	return (size_t)(entry - at);
}

/* Check that the last mark is in the capture: the event has written. */
static void check_written(void)
{
	struct tally t;

	written_tally(peer_arg(), &t);
	CHECK_EQ(t.received, n_marks);
}

static __attribute__((noinline)) void emit(void)
{
	entry = __builtin_frame_address(0);
	written_mark(0, n_marks++);
}

static ucontext_t fibre, back;

static void run_fibre(void)
{
	emit();
	swapcontext(&fibre, &back);
}

static void *run_thread(void *data)
{
	written_mark(0, n_marks++);
	test_sleep_ms(110);
	emit();
	return data;
}

static void on_signal(int signal)
{
	(void)signal;
	emit();
}

static void report(const char *where, size_t depth, size_t most)
{
	fprintf(stderr, "%s: %zu bytes\n", where, depth);
	CHECK(depth <= most);
}

/* The next transfer describes a related process that has ended. */
static void end_relative(void)
{
	const pid_t pid = fork();

	if (pid == 0) {
		written_mark(0, n_marks);
		_exit(0);
	}
	n_marks++;
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	test_sleep_ms(RELATIVES_MS);
}

static void emit_on_fibre(const char *what, size_t most)
{
	unsigned char *const stack = make_stack(8192);

	getcontext(&fibre);
	fibre.uc_stack.ss_sp = stack;
	fibre.uc_stack.ss_size = 8192;
	makecontext(&fibre, run_fibre, 0);
	swapcontext(&back, &fibre);
	check_written();
	report(what, measure(stack), most);
}

static void emit_in_thread(void)
{
	unsigned char *const stack = make_stack(16384);
	pthread_attr_t attr;
	pthread_t thread;

	CHECK_EQ(pthread_attr_init(&attr), 0);
	CHECK_EQ(pthread_attr_setstack(&attr, stack, 16384), 0);
	CHECK_EQ(pthread_create(&thread, &attr, run_thread, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	check_written();
	/* With the thread's first event and its end */
	fprintf(stderr, "thread: %zu bytes of 16384 in all\n",
	        (size_t)(stack + 16384 - entry) + measure(stack));
}

static void emit_in_handler(void)
{
	const size_t least = (size_t)sysconf(_SC_MINSIGSTKSZ);
	const size_t size = (least + DEPTH_MAX + 4095) / 4096 * 4096;
	unsigned char *const stack = make_stack(size);
	const stack_t ss = { .ss_sp = stack, .ss_size = size };
	struct sigaction sa = { .sa_handler = on_signal,
		                .sa_flags = SA_ONSTACK };

	CHECK_EQ(sigaltstack(&ss, NULL), 0);
	CHECK_EQ(sigaction(SIGUSR1, &sa, NULL), 0);
	raise(SIGUSR1);
	check_written();
	report("handler", measure(stack), DEPTH_MAX);
	fprintf(stderr, "MINSIGSTKSZ %zu\n", least);
}

CHILD(emits_on_small_stacks)
{
	written_mark(0, n_marks++);
	test_sleep_ms(110);
	written_mark(0, n_marks++);
	check_written();
	test_sleep_ms(110);
	emit_on_fibre("fibre", DEPTH_MAX);
	end_relative();
	emit_on_fibre("fibre, after the end of a relative", DEPTH_RELATIVE_MAX);
	emit_in_thread();
	test_sleep_ms(110);
	emit_in_handler();
}

static void run(bool is_output)
{
	char *const dir = written_make_dir();
	char variable[400], path[300];
	const char *env[] = { variable, "SYSCAP_RING_KIB=64", NULL };
	int fd = -1;

	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	if (!is_output) {
		strcpy(variable, "SYSPROF_TRACE_FD=3");
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		CHECK(fd >= 0);
	}
	written_run("emits_on_small_stacks", path, env, fd);
	if (fd >= 0)
		close(fd);
	written_remove_dir(dir);
}

TEST(an_event_that_writes_an_output_needs_little_stack)
{
	run(true);
}

TEST(an_event_that_writes_a_trace_needs_little_stack)
{
	run(false);
}
