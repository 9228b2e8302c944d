/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_stalls.c - the worst events of a process that records itself, while
 * another process keeps the disk busy.
 *
 * A process emits 50,000 marks a second.  Without a thread of the library, some
 * events write the rings to the file.  The reference's writer writes its buffer
 * in the same way.  The other process writes 1 MiB at a time into a file of
 * 256 MiB, with or without an fsync() after each 8 MiB.  All files are in
 * $BENCH_DIR (default: the current directory).  Turns alternate, and each turn
 * lasts one second.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#if BENCH_HAVE_REFERENCE
#include <sysprof-capture.h>
#endif

#include "bench/fail.h"
#include "bench/measure.h"
#include "bench/report.h"

#define TURNS    4u
#define N_MARKS  50000u /* of a turn */
#define EACH_NS  20000
#define MIB      (1u << 20)
#define FILE_MIB 256u
#define SYNC_MIB 8u

enum side {
	NO_THREAD,
	WITH_THREAD,
	REFERENCE,
	SIDES
};

static const char *const side_names[SIDES] = { "no thread", "with thread",
	                                       "reference" };

static const char *directory(void)
{
	const char *const dir = getenv("BENCH_DIR");

	return dir != NULL ? dir : ".";
}

/* ------------------------------------------------------------- busy disk */

static _Noreturn void keep_busy(bool with_fsync)
{
	unsigned char *const block = calloc(1, MIB);
	char name[500];

	snprintf(name, sizeof(name), "%s/bench-busy", directory());
	const int fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || block == NULL)
		bench_fail("%s: %s", name, strerror(errno));
	unlink(name);
	for (unsigned i = 0;; i++) {
		memset(block, (int)i, MIB);
		if (pwrite(fd, block, MIB, (off_t)(i % FILE_MIB) * MIB) != MIB)
			bench_fail("%s: %s", name, strerror(errno));
		if (with_fsync && i % SYNC_MIB == 0)
			fsync(fd);
	}
}

static pid_t begin_busy(bool with_fsync)
{
	const pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		keep_busy(with_fsync);
	}
	if (pid < 0)
		bench_fail("fork: %s", strerror(errno));
	return pid;
}

/* ----------------------------------------------------------------- turns */

static void wait_until(int64_t time)
{
	while (bench_now_ns() < time)
		;
}

/* A turn is a process of its own, because the environment decides whether the
 * library has a thread.  The process writes its samples to its standard
 * output. */
static uint32_t ticks[N_MARKS];

#define TIMED_MARKS(...)                                        \
	do {                                                    \
		int64_t next = bench_now_ns();                  \
		for (unsigned i = 0; i < N_MARKS; i++) {        \
			const uint64_t from = bench_ticks();    \
                                                                \
			__VA_ARGS__;                            \
			ticks[i] = clamp(bench_ticks() - from); \
			wait_until(next += EACH_NS);            \
		}                                               \
	} while (0)

static uint32_t clamp(uint64_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void emit_ours(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	TIMED_MARKS(SYSCAP_MARK("bench", "mark", 1000, 10, NULL));
	syscap_get_stats(&stats);
	if (!stats.is_active || stats.n_dropped != 0)
		bench_fail("%llu events were lost: %s",
		           (unsigned long long)stats.n_dropped, stats.reason);
	unlink(stats.output);
}

static void emit_reference(void)
{
#if BENCH_HAVE_REFERENCE
	char name[500];

	snprintf(name, sizeof(name), "%s/bench-reference", directory());
	SysprofCaptureWriter *const writer =
		sysprof_capture_writer_new(name, 0);
	if (writer == NULL)
		bench_fail("%s: no writer", name);
	unlink(name);
	const int pid = getpid();
	TIMED_MARKS(sysprof_capture_writer_add_mark(writer, 1000, -1, pid, 10,
	                                            "bench", "mark", NULL));
	sysprof_capture_writer_unref(writer);
#endif
}

static int emit(const char *side)
{
	if (strcmp(side, side_names[REFERENCE]) == 0)
		emit_reference();
	else
		emit_ours();
	for (size_t done = 0; done < sizeof(ticks);) {
		const ssize_t n = write(STDOUT_FILENO, (char *)ticks + done,
		                        sizeof(ticks) - done);

		if (n <= 0)
			bench_fail("write: %s", strerror(errno));
		done += (size_t)n;
	}
	return 0;
}

static _Noreturn void begin_turn(enum side side, int out)
{
	char name[500];

	snprintf(name, sizeof(name), "%s/bench-%%p.syscap", directory());
	if (side != REFERENCE)
		setenv("SYSCAP_OUTPUT", name, 1);
	if (side == WITH_THREAD)
		setenv("SYSCAP_THREAD", "1", 1);
	dup2(out, STDOUT_FILENO);
	execl("/proc/self/exe", "bench_stalls", side_names[side], (char *)NULL);
	bench_fail("exec: %s", strerror(errno));
}

static void turn(enum side side, struct bench_samples *samples)
{
	int fds[2], status;
	size_t n_read = 0;
	ssize_t n;

	if (pipe2(fds, O_CLOEXEC) != 0)
		bench_fail("pipe: %s", strerror(errno));
	const pid_t pid = fork();
	if (pid == 0)
		begin_turn(side, fds[1]);
	close(fds[1]);
	while (n_read < sizeof(ticks) &&
	       (n = read(fds[0], (char *)ticks + n_read,
	                 sizeof(ticks) - n_read)) > 0)
		n_read += (size_t)n;
	close(fds[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0 ||
	    n_read != sizeof(ticks))
		bench_fail("%s: a turn failed", side_names[side]);
	for (unsigned i = 0; i < N_MARKS; i++)
		bench_samples_add(samples, ticks[i]);
}

static void measure(const char *beside, bool with_fsync)
{
	struct bench_samples samples[SIDES];
	const double ns = bench_ns_per_tick();
	const int n_sides = BENCH_HAVE_REFERENCE ? SIDES : REFERENCE;
	char what[64];

	for (int side = 0; side < SIDES; side++)
		bench_samples_init(&samples[side], TURNS * N_MARKS);
	const pid_t busy = begin_busy(with_fsync);
	for (unsigned i = 0; i < TURNS; i++)
		for (int side = 0; side < n_sides; side++)
			turn(side, &samples[side]);
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
	for (int side = 0; side < REFERENCE; side++) {
		struct bench_row row = {
			.what = what,
			.median = bench_samples_at(&samples[side], 0.5) * ns,
			.p999 = bench_samples_at(&samples[side], 0.999) * ns,
		};

		snprintf(what, sizeof(what), "mark beside %s, %s", beside,
		         side_names[side]);
		if (n_sides == SIDES) {
			row.other = "reference's writer";
			row.other_median =
				bench_samples_at(&samples[REFERENCE], 0.5) * ns;
			row.other_p999 =
				bench_samples_at(&samples[REFERENCE], 0.999) *
				ns;
		}
		bench_report_row(&row);
	}
	for (int side = 0; side < n_sides; side++)
		bench_report_note(
			"  longest, %-23s%9.0f us; longest but 10 "
			"%.0f us",
			side_names[side],
			bench_samples_at(&samples[side], 1.0) * ns / 1e3,
			bench_samples_at(&samples[side], 0.99995) * ns / 1e3);
	for (int side = 0; side < SIDES; side++)
		bench_samples_free(&samples[side]);
}

int main(int argc, char **argv)
{
	if (argc == 2)
		return emit(argv[1]);
	bench_ns_per_tick();
	measure("writes", false);
	measure("fsync()", true);
	return 0;
}
