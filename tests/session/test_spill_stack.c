/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_spill_stack.c - depth of the stack of an event that writes, and of first
 * events.  The events run on a fibre of 8 KiB, in a thread of 16 KiB, and on an
 * alternate stack.  On the smallest alternate stack an event does not write.
 *
 * The stacks lie above guard pages, and are painted before the event.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
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
/* Depth of a first event, which makes the session. */
#define DEPTH_FIRST_MAX 4096u

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

static unsigned char *run_on_fibre(void)
{
	unsigned char *const stack = make_stack(8192);

	getcontext(&fibre);
	fibre.uc_stack.ss_sp = stack;
	fibre.uc_stack.ss_size = 8192;
	makecontext(&fibre, run_fibre, 0);
	swapcontext(&back, &fibre);
	return stack;
}

static void emit_on_fibre(const char *what, size_t most)
{
	unsigned char *const stack = run_on_fibre();

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

/* The stack ends above a guard page, and begins inside a page. */
static unsigned char *raise_on_stack_of(size_t size)
{
	const size_t pages = (size + 4095) / 4096 * 4096;
	unsigned char *const stack = make_stack(pages);
	const stack_t ss = { .ss_sp = stack, .ss_size = size };
	struct sigaction sa = { .sa_handler = on_signal,
		                .sa_flags = SA_ONSTACK };

	CHECK_EQ(sigaltstack(&ss, NULL), 0);
	CHECK_EQ(sigaction(SIGUSR1, &sa, NULL), 0);
	raise(SIGUSR1);
	return stack;
}

static void emit_in_handler(void)
{
	const size_t least = (size_t)sysconf(_SC_MINSIGSTKSZ);
	const unsigned char *const stack = raise_on_stack_of(
		(least + DEPTH_RELATIVE_MAX + 5119) / 4096 * 4096);

	check_written();
	report("handler", measure(stack), DEPTH_MAX);
}

/* Free bytes in a handler on the smallest stack of a processor with short
 * signal frames */
#define SMALLEST_FREE 688u

/* The smallest alternate stack that the kernel takes; with more registers to
 * save, a larger stack with as many free bytes. */
static size_t smallest_stack(void)
{
	const size_t least = getauxval(AT_MINSIGSTKSZ);

	if (least <= 1776)
		return 2048;
	return least + SMALLEST_FREE;
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

CHILD(emits_on_the_smallest_stack)
{
	const size_t size = smallest_stack();
	struct tally t;

	written_mark(0, n_marks++);
	test_sleep_ms(110);
	/* The dynamic linker's first look-ups take more stack */
	written_mark(0, n_marks++);
	check_written();
	test_sleep_ms(110);
	const unsigned char *const stack = raise_on_stack_of(size);
	fprintf(stderr, "smallest stack: %zu bytes of %td, of %zu\n",
	        measure(stack), entry - stack, size);
	written_tally(peer_arg(), &t);
	CHECK_EQ(t.received, n_marks - 1);
	test_sleep_ms(10);
	written_mark(0, n_marks++);
	check_written();
}

static void *begin_on_fibre(void *data)
{
	report(data, measure(run_on_fibre()), DEPTH_FIRST_MAX);
	return NULL;
}

CHILD(begins_on_a_fibre)
{
	begin_on_fibre("first event of a process");
}

CHILD(begins_a_thread_on_a_fibre)
{
	pthread_t thread;

	written_mark(0, n_marks++);
	CHECK_EQ(pthread_create(&thread, NULL, begin_on_fibre,
	                        "first event of a thread"),
	         0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

static void *begin_in_thread(void *data)
{
	emit();
	return data;
}

CHILD(begins_in_a_small_thread)
{
	unsigned char *const stack = make_stack(16384);
	pthread_attr_t attr;
	pthread_t thread;

	CHECK_EQ(pthread_attr_init(&attr), 0);
	CHECK_EQ(pthread_attr_setstack(&attr, stack, 16384), 0);
	CHECK_EQ(pthread_create(&thread, &attr, begin_in_thread, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	report("first event of a process, in a thread", measure(stack),
	       DEPTH_FIRST_MAX);
}

static void run_child(const char *child, bool is_output)
{
	char *const dir = written_make_dir();
	char variable[400], path[300];
	/* The dynamic linker's lazy binding saves all registers on the stack:
	 * its need depends on the processor */
	const char *env[] = { variable, "SYSCAP_RING_KIB=64", "LD_BIND_NOW=1",
		              NULL };
	int fd = -1;

	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	if (!is_output) {
		strcpy(variable, "SYSPROF_TRACE_FD=3");
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		CHECK(fd >= 0);
	}
	written_run(child, path, env, fd);
	if (fd >= 0)
		close(fd);
	written_remove_dir(dir);
}

TEST(an_event_that_writes_an_output_needs_little_stack)
{
	run_child("emits_on_small_stacks", true);
}

TEST(an_event_that_writes_a_trace_needs_little_stack)
{
	run_child("emits_on_small_stacks", false);
}

TEST(a_first_event_fits_into_small_stacks)
{
	run_child("begins_on_a_fibre", true);
	run_child("begins_on_a_fibre", false);
	run_child("begins_a_thread_on_a_fibre", true);
	run_child("begins_a_thread_on_a_fibre", false);
	run_child("begins_in_a_small_thread", true);
	run_child("begins_in_a_small_thread", false);
}

TEST(an_event_on_the_smallest_signal_stack_does_not_write)
{
	run_child("emits_on_the_smallest_stack", true);
	run_child("emits_on_the_smallest_stack", false);
}
