/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_writer_signals.c - signal handlers that use a writer during a call on
 * it.  A timer or each instruction triggers the handlers.  The process may also
 * fork, exit or be killed in the middle of a call.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sysprof-capture.h>

#include "dropin/writer_ledger.h"
#include "harness/stepper.h"
#include "harness/test.h"
#include "harness/tsan.h"

#define SMALL      4096u
#define TICK       (SIGRTMIN + 3)
#define MIN_INSIDE 3000u
#define N_FILLERS  3500u

static struct ledger *ledger;
static SysprofCaptureWriter *writer;
static volatile sig_atomic_t is_inside;
static unsigned n_ticks;

/* Acts like GJS's profiler at each tick, and a little more. */
static void act(void)
{
	const unsigned i = n_ticks++;

	ledger->n_inside += is_inside;
	ledger_sample(ledger, writer, i % 8 == 0);
	ledger_set(ledger, writer);
	if (i % 5 == 0)
		ledger_mark(ledger, writer);
	if (i % 7 == 0)
		ledger_log(ledger, writer);
	if (i % 23 == 0)
		sysprof_capture_writer_flush(writer);
}

static void on_tick(int signal)
{
	const int saved = errno;

	(void)signal;
	act();
	errno = saved;
}

static void begin_ticking(long every_ns)
{
	const struct sigaction action = { .sa_handler = on_tick };
	const struct itimerspec every = { { 0, every_ns }, { 0, every_ns } };
	struct sigevent event;
	timer_t timer;

	CHECK_EQ(sigaction(TICK, &action, NULL), 0);
	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = TICK;
	CHECK_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	CHECK_EQ(timer_settime(timer, 0, &every, NULL), 0);
}

static void end_ticking(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, TICK);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void define_some(void)
{
	SysprofCaptureCounter counters[3];

	memset(counters, 0, sizeof(counters));
	for (unsigned i = 0; i < 3; i++) {
		strcpy(counters[i].category, "ledger");
		counters[i].id =
			sysprof_capture_writer_request_counter(writer, 1) &
			0xFFFFFF;
	}
	sysprof_capture_writer_define_counters(
		writer, SYSPROF_CAPTURE_CURRENT_TIME, -1, 7, counters, 3);
}

static void work(unsigned i)
{
	is_inside = 1;
	ledger_mark(ledger, writer);
	if (i % 4 == 0)
		ledger_sample(ledger, writer, i % 64 == 0);
	if (i % 16 == 0)
		ledger_set(ledger, writer);
	if (i % 16 == 1)
		ledger_log(ledger, writer);
	for (int k = 0; k < 30; k++)
		sysprof_capture_writer_add_jitmap(writer, "a frequent name");
	if (i % 100 == 0)
		sysprof_capture_writer_flush(writer);
	if (i % 1000 == 0)
		define_some();
	is_inside = 0;
}

static void open_writer(int fd, size_t buffer_size)
{
	writer = sysprof_capture_writer_new_from_fd(dup(fd), buffer_size);
	CHECK(writer != NULL);
	close(fd);
}

/* In a child, so that the reader of a pipe is another process. */
static void tick(int fd, size_t buffer_size)
{
	open_writer(fd, buffer_size);
	begin_ticking(100000);
	for (unsigned i = 0; ledger->n_inside < MIN_INSIDE; i++) {
		if (ledger_has_room(ledger))
			work(i);
		else
			break;
	}
	end_ticking();
	sysprof_capture_writer_unref(writer);
	_exit(0);
}

static int new_file(void)
{
	const int fd = memfd_create("capture", MFD_CLOEXEC);

	CHECK(fd >= 0);
	return fd;
}

static void must_end_well(pid_t pid)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void report(void)
{
	printf("%u marks, %u samples, %u sets, %u new names; %u ticks inside; "
	       "%u refused\n",
	       ledger->n[LEDGER_MARK], ledger->n[LEDGER_SAMPLE],
	       ledger->n[LEDGER_SET], ledger->n_names, ledger->n_inside,
	       ledger->n_refused);
}

static void ticks_to_a_file(size_t buffer_size)
{
	SKIP_UNDER_TSAN();
	const int fd = new_file();

	ledger = ledger_new();
	const pid_t pid = fork();
	if (pid == 0)
		tick(fd, buffer_size);
	must_end_well(pid);
	ledger_check_file(ledger, fd, false);
	CHECK(ledger->n_inside >= MIN_INSIDE / 3);
	report();
	close(fd);
	ledger_free(ledger);
}

static void ticks_to_a_pipe(size_t buffer_size)
{
	SKIP_UNDER_TSAN();
	size_t size = 0, capacity = 1u << 28;
	unsigned char *const data =
		mmap(NULL, capacity, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int ends[2];
	ssize_t got;

	CHECK(data != MAP_FAILED);
	CHECK_EQ(pipe(ends), 0);
	ledger = ledger_new();
	const pid_t pid = fork();
	if (pid == 0)
		tick(ends[1], buffer_size);
	close(ends[1]);
	while ((got = read(ends[0], data + size, capacity - size)) > 0)
		size += (size_t)got;
	CHECK(got == 0 && size < capacity);
	must_end_well(pid);
	ledger_check(ledger, data, size, false);
	CHECK(ledger->n_inside >= MIN_INSIDE / 3);
	report();
	munmap(data, capacity);
	close(ends[0]);
	ledger_free(ledger);
}

TEST(ticks_with_a_small_buffer_lose_nothing_of_a_file)
{
	ticks_to_a_file(SMALL);
}

TEST(ticks_with_a_large_buffer_lose_nothing_of_a_file)
{
	ticks_to_a_file(0);
}

TEST(ticks_with_a_small_buffer_lose_nothing_of_a_pipe)
{
	ticks_to_a_pipe(SMALL);
}

TEST(ticks_with_a_large_buffer_lose_nothing_of_a_pipe)
{
	ticks_to_a_pipe(0);
}

/* ----------------------------------------------------------------- steps */

static void call_mark(void)
{
	ledger_mark(ledger, writer);
}

static void call_sample(void)
{
	ledger_sample(ledger, writer, false);
}

static void call_new_name(void)
{
	ledger_sample(ledger, writer, true);
}

static void call_set(void)
{
	ledger_set(ledger, writer);
}

static void call_log(void)
{
	ledger_log(ledger, writer);
}

static void call_flush(void)
{
	sysprof_capture_writer_flush(writer);
}

static void call_file(void)
{
	static const uint8_t data[3000];

	sysprof_capture_writer_add_file(writer, SYSPROF_CAPTURE_CURRENT_TIME,
	                                -1, -1, "/file", true, data,
	                                sizeof(data));
}

static void (*const calls[])(void) = {
	call_mark, call_sample, call_new_name, call_set,
	call_log,  call_flush,  define_some,   call_file,
};
#define N_CALLS (sizeof(calls) / sizeof(calls[0]))

/* Stops at all first instructions, then at fewer and fewer: each tested
 * instruction needs its own process. */
static long next_end(long k)
{
	return k + 1 + k / (test_is_whole() ? 12 : 3);
}

/* Stops at every @n-th instruction up to some hundreds, then at a few later
 * ones. */
static long next_step(long k, long n)
{
	return k + (k < 500 || k / 50 < n ? n : k / 50);
}

/*
 * The buffer's fill level differs from step to step, as the buffer keeps the
 * frames of earlier steps.
 */
static void step_all(int fd, void (*action)(void))
{
	struct stepper stepper;

	open_writer(fd, SMALL);
	stepper_install(false);
	const long n = stepper_stride(3);

	for (unsigned i = 0; i < N_CALLS; i++) {
		for (long k = stepper_first(n); ledger_has_room(ledger);
		     k = next_step(k, n)) {
			ledger_mark(ledger, writer);
			if (!stepper_run(&stepper, k, calls[i], action))
				break;
			ledger->n_inside++;
		}
	}
	sysprof_capture_writer_unref(writer);
	_exit(0);
}

TEST(a_handler_at_each_instruction_of_each_call_loses_nothing)
{
	SKIP_UNDER_TSAN();
	const int fd = new_file();

	ledger = ledger_new();
	const pid_t pid = fork();
	if (pid == 0)
		step_all(fd, act);
	must_end_well(pid);
	ledger_check_file(ledger, fd, false);
	CHECK(ledger->n_inside >
	      (test_is_whole() && !test_is_sanitized() ? 1000 : 100));
	report();
	close(fd);
	ledger_free(ledger);
}

/* Adds more names than can wait at a time: a handler during a call can't write
 * names. */
static void add_many_names(void)
{
	char name[] = "filler 00000000";

	for (unsigned i = 0; i < N_FILLERS; i++) {
		unsigned rest = ledger->n_inside * N_FILLERS + i;

		for (char *at = name + 14; at > name + 6; at--) {
			*at = (char)('0' + rest % 10);
			rest /= 10;
		}
		CHECK(sysprof_capture_writer_add_jitmap(writer, name) != 0);
	}
	ledger_sample(ledger, writer, true);
}

static void name_many(int fd)
{
	struct stepper stepper;

	open_writer(fd, SMALL);
	stepper_install(false);
	for (long k = 1; k < 2000; k += 23) {
		if (!stepper_run(&stepper, k, call_sample, add_many_names))
			break;
		ledger->n_inside++;
		sysprof_capture_writer_flush(writer);
	}
	add_many_names();
	ledger->n_inside++;
	sysprof_capture_writer_unref(writer);
	_exit(0);
}

static unsigned count_fillers(int fd)
{
	SysprofCaptureReader *const reader =
		sysprof_capture_reader_new_from_fd(dup(fd));
	const SysprofCaptureJitmap *jitmap;
	SysprofCaptureFrameType type;
	unsigned n = 0;

	CHECK(reader != NULL);
	while (sysprof_capture_reader_peek_type(reader, &type)) {
		SysprofCaptureJitmapIter iter;
		const char *name;

		if (type != SYSPROF_CAPTURE_FRAME_JITMAP) {
			CHECK(sysprof_capture_reader_skip(reader));
			continue;
		}
		jitmap = sysprof_capture_reader_read_jitmap(reader);
		CHECK(jitmap != NULL);
		sysprof_capture_jitmap_iter_init(&iter, jitmap);
		while (sysprof_capture_jitmap_iter_next(&iter, NULL, &name))
			n += strncmp(name, "filler ", 7) == 0;
	}
	sysprof_capture_reader_unref(reader);
	return n;
}

TEST(excess_names_are_written_also_on_top_of_a_call)
{
	SKIP_UNDER_TSAN();
	const int fd = new_file();

	ledger = ledger_new();
	const pid_t pid = fork();
	if (pid == 0)
		name_many(fd);
	must_end_well(pid);
	ledger_check_file(ledger, fd, false);
	CHECK(ledger->n_inside > 3);
	CHECK_EQ(count_fillers(fd), ledger->n_inside * N_FILLERS);
	close(fd);
	ledger_free(ledger);
}

/* ------------------------------------------------------- processes' ends */

static void wait_for_child(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status != 0)
		_exit(99);
}

static void add_some(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		ledger_mark(ledger, writer);
		ledger_sample(ledger, writer, i % 4 == 0);
		ledger_set(ledger, writer);
		ledger_log(ledger, writer);
	}
}

static void fork_often(int fd, size_t buffer_size, bool child_adds)
{
	open_writer(fd, buffer_size);
	for (unsigned i = 0; i < 60; i++) {
		add_some(1 + i % 7);
		const pid_t pid = fork();
		if (pid == 0) {
			if (child_adds)
				add_some(1 + i % 5);
			if (i % 3 == 0)
				sysprof_capture_writer_unref(writer);
			exit(0);
		}
		wait_for_child(pid);
	}
	sysprof_capture_writer_unref(writer);
	_exit(0);
}

static void forks(size_t buffer_size, bool child_adds)
{
	const int fd = new_file();

	ledger = ledger_new();
	const pid_t pid = fork();
	if (pid == 0)
		fork_often(fd, buffer_size, child_adds);
	must_end_well(pid);
	ledger_check_file(ledger, fd, false);
	close(fd);
	ledger_free(ledger);
}

TEST(a_child_that_exits_writes_nothing_of_its_parent)
{
	forks(SMALL, false);
	forks(0, false);
}

TEST(continuing_child_writes_its_frames_once)
{
	forks(SMALL, true);
	forks(0, true);
}

/* A handler forks a child that exits at once. */
static void fork_and_exit(void)
{
	const pid_t pid = fork();

	if (pid == 0) {
		add_some(2);
		exit(0);
	}
	wait_for_child(pid);
}

static void fork_at_steps(int fd)
{
	struct stepper stepper;

	open_writer(fd, SMALL);
	stepper_install(false);
	for (unsigned i = 0; i < N_CALLS; i++) {
		for (long k = 1; k < 6000; k = next_end(k)) {
			ledger_mark(ledger, writer);
			if (!stepper_run(&stepper, k, calls[i], fork_and_exit))
				break;
		}
	}
	sysprof_capture_writer_unref(writer);
	_exit(0);
}

TEST(a_fork_in_the_middle_of_a_call_doubles_nothing)
{
	SKIP_UNDER_TSAN();
	const int fd = new_file();

	ledger = ledger_new();
	const pid_t pid = fork();
	if (pid == 0)
		fork_at_steps(fd);
	must_end_well(pid);
	ledger_check_file(ledger, fd, false);
	close(fd);
	ledger_free(ledger);
}

static void leave_without_unref(size_t buffer_size)
{
	const int fd = new_file();

	ledger = ledger_new();
	const pid_t pid = fork();
	if (pid == 0) {
		open_writer(fd, buffer_size);
		add_some(500);
		exit(0);
	}
	must_end_well(pid);
	ledger_check_file(ledger, fd, false);
	close(fd);
	ledger_free(ledger);
}

TEST(exit_without_unref_loses_nothing)
{
	leave_without_unref(SMALL);
	leave_without_unref(0);
}

static void leave(void)
{
	exit(0);
}

/* True: the process exited in the middle of the call. */
static bool leave_at(int fd, unsigned call, long k)
{
	struct stepper stepper;
	int status;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		open_writer(fd, SMALL);
		stepper_install(false);
		add_some(5 + (unsigned)k % 7);
		if (!stepper_run(&stepper, k, calls[call], leave))
			_exit(77);
		_exit(1);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77);
	return WEXITSTATUS(status) == 0;
}

TEST(exit_in_a_handler_loses_no_frame)
{
	SKIP_UNDER_TSAN();
	unsigned n = 0;

	for (unsigned call = 0; call < N_CALLS; call++) {
		for (long k = 1; k < 6000; k = next_end(k)) {
			const int fd = new_file();

			ledger = ledger_new();
			const bool is_left = leave_at(fd, call, k);
			if (is_left)
				ledger_check_file(ledger, fd, false);
			close(fd);
			ledger_free(ledger);
			if (!is_left)
				break;
			n++;
		}
	}
	CHECK(n > 100);
}

static void work_until_killed(int fd, size_t buffer_size)
{
	open_writer(fd, buffer_size);
	begin_ticking(200000);
	for (unsigned i = 0; ledger_has_room(ledger); i++)
		work(i);
	pause();
}

TEST(samples_of_a_killed_process_have_their_names)
{
	SKIP_UNDER_TSAN();
	for (unsigned i = 0; i < 30; i++) {
		const int fd = new_file();

		ledger = ledger_new();
		const pid_t pid = fork();
		if (pid == 0)
			work_until_killed(fd, i % 2 ? 0 : SMALL);
		usleep(3000 + i * 1370);
		CHECK_EQ(kill(pid, SIGKILL), 0);
		CHECK_EQ(waitpid(pid, NULL, 0), pid);
		if (lseek(fd, 0, SEEK_END) > 256)
			ledger_check_file(ledger, fd, true);
		close(fd);
		ledger_free(ledger);
	}
}
