/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_recorded.c - the first event of a thread under `syscap record`.
 *
 * bench_first requests each ring by the stock protocol.  Here a thread takes a
 * slot in the process's arena, which the command has received at the first
 * thread's first event.  The reference requests rings from the same command by
 * the stock protocol.  The capture must hold a mark of each thread.
 */
#define _GNU_SOURCE
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "bench/fail.h"
#include "bench/measure.h"
#include "bench/reference.h"
#include "bench/report.h"

#define THREADS 1000u
/* uncounted threads, with the process's first events */
#define WARM_UP 20u

BENCH_EVENT(mark, SYSCAP_MARK("bench", "mark", 1000, 10, NULL))

static struct bench_event ours = BENCH_EVENT_OF(mark);

/* A thread that emits one event, and the cost of the thread. */
struct life {
	void (*each)(unsigned n, uint32_t *ticks);
	uint32_t ticks;
	uint64_t on_processor_ns, n_touched;
};

static uint64_t processor_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Number of pages that this thread was the first to touch. */
static uint64_t count_touched(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_minflt;
}

static void *live(void *of)
{
	struct life *const life = of;
	const uint64_t touched = count_touched();
	const uint64_t before = processor_ns();

	life->each(1, &life->ticks);
	life->on_processor_ns = processor_ns() - before;
	life->n_touched = count_touched() - touched;
	return NULL;
}

/* Costs of one library's threads, in ticks, in ns, in pages. */
struct lives {
	const struct bench_event *event;
	struct bench_samples waited, worked, touched;
};

static void measure_life(struct lives *lives, bool is_kept)
{
	struct life life = { .each = lives->event->each };
	pthread_t thread;

	if (life.each == NULL)
		return;
	if (pthread_create(&thread, NULL, live, &life) != 0)
		bench_fail("can't start a thread");
	pthread_join(thread, NULL);
	if (!is_kept)
		return;
	bench_samples_add(&lives->waited, life.ticks);
	bench_samples_add(&lives->worked, life.on_processor_ns);
	bench_samples_add(&lives->touched, life.n_touched);
}

static void report(const char *what, struct bench_samples *our_samples,
                   struct bench_samples *their_samples, double unit,
                   enum bench_target target)
{
	struct bench_row row = {
		.what = what,
		.median = bench_samples_at(our_samples, 0.5) * unit,
		.p999 = bench_samples_at(our_samples, 0.999) * unit,
	};

	if (their_samples->n != 0) {
		row.other = "reference";
		row.other_median = bench_samples_at(their_samples, 0.5) * unit;
		row.other_p999 = bench_samples_at(their_samples, 0.999) * unit;
		row.target = target;
		row.bound = 0.5;
	}
	bench_report_row(&row);
}

static int measure(void)
{
	struct lives both[] = { { .event = &ours },
		                { .event = &reference_mark } };

	for (unsigned i = 0; i < 2; i++) {
		bench_samples_init(&both[i].waited, THREADS);
		bench_samples_init(&both[i].worked, THREADS);
		bench_samples_init(&both[i].touched, THREADS);
	}
	bench_ns_per_tick();
	for (unsigned i = 0; i < WARM_UP + THREADS; i++)
		for (unsigned who = 0; who < 2; who++)
			measure_life(&both[who], i >= WARM_UP);
	report("first event, arena", &both[0].waited, &both[1].waited,
	       bench_ns_per_tick(), BENCH_RATIO_MOST);
	report("first event, arena, processor", &both[0].worked,
	       &both[1].worked, 1, BENCH_REPORTED);
	const struct bench_row row = {
		.what = "first event, arena, processor",
		.median = bench_samples_at(&both[0].worked, 0.5),
		.p999 = BENCH_NONE,
		.other = "15 us",
		.other_median = 15000,
		.other_p999 = BENCH_NONE,
		.target = BENCH_RATIO_MOST,
		.bound = 1,
	};
	bench_report_row(&row);
	const double each_ns = bench_ns_per_page();
	const unsigned n = bench_samples_at(&both[0].touched, 0.5);
	bench_report_note(
		"of that %u pages touched first: %.1f us, %.1f us each", n,
		n * each_ns / 1000, each_ns / 1000);
	return 0;
}

/* The number of marks in a capture, by its frames' lengths and types. */
static uint64_t count_marks(const char *name)
{
	FILE *const file = fopen(name, "r");
	struct syscap_wire_frame frame;
	uint64_t n = 0;

	if (file == NULL || fseek(file, 256, SEEK_SET) != 0)
		bench_fail("%s: %s", name, strerror(errno));
	while (fread(&frame, sizeof(frame), 1, file) == 1) {
		if (frame.len < sizeof(frame))
			bench_fail("%s: a frame without a length", name);
		n += frame.type == SYSCAP_FRAME_MARK;
		fseek(file, (long)(frame.len - sizeof(frame)), SEEK_CUR);
	}
	fclose(file);
	return n;
}

static int record(const char *self)
{
	char name[] = "/tmp/bench_recorded.XXXXXX";
	const int fd = mkstemp(name);
	int status;

	if (fd < 0)
		bench_fail("%s: %s", name, strerror(errno));
	close(fd);
	fflush(stdout);
	const pid_t pid = fork();
	if (pid == 0) {
		execl(BENCH_SYSCAP, "syscap", "record", "-q", "--force", "-o",
		      name, "--", self, "measure", (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		bench_fail("%s failed", BENCH_SYSCAP);
	const uint64_t wanted =
		(WARM_UP + THREADS) * (bench_has_reference ? 2u : 1u);
	const uint64_t n = count_marks(name);
	unlink(name);
	if (n != wanted)
		bench_fail("%llu marks emitted, %llu recorded",
		           (unsigned long long)wanted, (unsigned long long)n);
	bench_report_note("%llu frames emitted, %llu recorded",
	                  (unsigned long long)wanted, (unsigned long long)n);
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 1 ? measure() : record(argv[0]);
}
