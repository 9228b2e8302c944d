/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_sampler.c - cost of sampling for the sampled program.
 *
 *	handler    a sample of a warm stack of 32 frames, from the handler's
 *	           entry to its exit; and delivered by the kernel, against an
 *	           empty handler's
 *	a core     processor time of a fixed piece of work, sampled 1,000 times
 *	           a second, against the same alone; and under perf record -F
 *	           1000 --call-graph dwarf, all of perf's processes included
 *
 * The handler's time times the rate is the handler's share of a core.  "a core"
 * also includes the kernel's time for timer and delivery, and so is larger.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/sampler.h>

#include "bench/fail.h"
#include "bench/measure.h"
#include "bench/report.h"
#include "sampler/state.h"
#include "sampler/tick.h"

#define DEPTH   32
#define BATCH   500u /* samples that fit into the ring */
#define BATCHES 60u
#define TURNS   7
#define WORK_MS 1000

static struct bench_samples entry_to_exit, delivered, empty;

static void nothing(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
}

/* The siginfo of one expiry of this thread's timer. */
static siginfo_t tick_of_ours(void)
{
	struct syc_target *const t = syc_target_find(gettid());
	siginfo_t info;

	if (t == NULL)
		bench_fail("this thread is not sampled");
	memset(&info, 0, sizeof(info));
	info.si_signo = syc_sampler->signal;
	info.si_code = SI_TIMER;
	info.si_value.sival_ptr = (void *)(uintptr_t)t->cookie;
	return info;
}

static void deliver(int signal, siginfo_t *info)
{
	info->si_signo = signal;
	if (syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), signal, info) !=
	    0)
		bench_fail("rt_tgsigqueueinfo(): %s", strerror(errno));
}

static void measure_here(void)
{
	siginfo_t info = tick_of_ours();
	uint64_t addrs[2 * DEPTH];

	if (syscap_backtrace(addrs, 2 * DEPTH, NULL) < DEPTH)
		bench_fail("the stack is not %d frames deep", DEPTH);
	const int signal = info.si_signo;
	ucontext_t context;

	getcontext(&context);
	for (unsigned batch = 0; batch <= BATCHES; batch++) {
		for (unsigned i = 0; i < BATCH; i++) {
			const uint64_t a = bench_ticks();
			syc_tick_handle(signal, &info, &context);
			const uint64_t b = bench_ticks();
			deliver(signal, &info);
			const uint64_t c = bench_ticks();
			deliver(SIGRTMIN, &info);
			const uint64_t d = bench_ticks();
			if (batch == 0)
				continue; /* cold */
			bench_samples_add(&entry_to_exit, b - a);
			bench_samples_add(&delivered, c - b);
			bench_samples_add(&empty, d - c);
		}
		syscap_drain();
	}
}

static __attribute__((noinline)) void go_down(int depth)
{
	if (depth > 0)
		go_down(depth - 1);
	else
		measure_here();
	BENCH_BARRIER();
}

static void start(uint32_t clock, uint32_t hz)
{
	struct syscap_sampler_options options = { .size = sizeof(options),
		                                  .clock = clock,
		                                  .hz = hz };

	if (syscap_sampler_start(&options) != 0)
		bench_fail("%s", options.message);
}

static void record_into(char *path)
{
	struct syscap_options options = { .size = sizeof(options),
		                          .output = path,
		                          .ring_kib = 1024 };

	if (syscap_start(&options) != 0)
		bench_fail("%s", options.message);
}

static double median_ns(struct bench_samples *samples)
{
	return bench_samples_at(samples, 0.5) * bench_ns_per_tick();
}

static void bench_handler(char *path)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = nothing;
	action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
	sigfillset(&action.sa_mask);
	sigaction(SIGRTMIN, &action, NULL);
	bench_ns_per_tick();
	bench_samples_init(&entry_to_exit, BATCH * BATCHES);
	bench_samples_init(&delivered, BATCH * BATCHES);
	bench_samples_init(&empty, BATCH * BATCHES);
	record_into(path);
	start(SYSCAP_SAMPLER_CPU, 1);
	go_down(DEPTH - 4);
	syscap_sampler_stop();
	syscap_stop();

	const double handler = median_ns(&entry_to_exit);
	struct bench_row row = {
		.what = "handler, entry to exit",
		.median = handler,
		.p999 = bench_samples_at(&entry_to_exit, 0.999) *
		        bench_ns_per_tick(),
		.other = NULL,
	};
	bench_report_row(&row);
	row.what = "sample, with its delivery";
	row.median = median_ns(&delivered);
	row.p999 = bench_samples_at(&delivered, 0.999) * bench_ns_per_tick();
	row.other = "empty handler";
	row.other_median = median_ns(&empty);
	row.other_p999 = bench_samples_at(&empty, 0.999) * bench_ns_per_tick();
	bench_report_row(&row);
	/* share of a core: 1,000 handlers per second, compared with 1 % */
	row.what = "handler at 1 kHz, of a second";
	row.median = handler * 1000;
	row.p999 = BENCH_NONE;
	row.other = "1 % of a core";
	row.other_median = 1e9 / 100;
	row.other_p999 = BENCH_NONE;
	row.target = BENCH_RATIO_MOST;
	row.bound = 1.0;
	bench_report_row(&row);
	bench_samples_free(&entry_to_exit);
	bench_samples_free(&delivered);
	bench_samples_free(&empty);
}

/* ------------------------------------------------------- share of a core */

static __attribute__((noinline)) void work_here(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		BENCH_BARRIER();
}

static __attribute__((noinline)) void work_below(int depth, uint64_t n)
{
	if (depth > 0)
		work_below(depth - 1, n);
	else
		work_here(n);
	BENCH_BARRIER();
}

static double cpu_ms(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1e3 +
	       (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e3;
}

/* The child that works.  argv[1]: "work" or "sampled", [2]: amount of work. */
static int be_child(char **argv)
{
	char *const path = argv[3];

	if (strcmp(argv[1], "sampled") == 0) {
		record_into(path);
		start(SYSCAP_SAMPLER_WALL, 1000);
	}
	work_below(DEPTH - 4, strtoull(argv[2], NULL, 10));
	if (strcmp(argv[1], "sampled") == 0) {
		syscap_sampler_stop();
		syscap_stop();
	}
	return 0;
}

/* Processor time of @argv and all its children; negative: a failure. */
static double time_of(char *const *argv)
{
	struct rusage before, after;
	int status;

	getrusage(RUSAGE_CHILDREN, &before);
	const pid_t pid = fork();
	if (pid == 0) {
		if (freopen("/dev/null", "w", stdout) == NULL ||
		    freopen("/dev/null", "w", stderr) == NULL)
			_exit(126);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		return -1;
	getrusage(RUSAGE_CHILDREN, &after);
	return cpu_ms(&after) - cpu_ms(&before);
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *of)
{
	qsort(of, TURNS, sizeof(*of), compare);
	return of[TURNS / 2];
}

static uint64_t amount_of_work(void)
{
	uint64_t n = 1000000;

	for (;;) {
		const int64_t begin = bench_now_ns();

		work_here(n);
		const int64_t took = bench_now_ns() - begin;
		if (took > 20000000)
			return n * WORK_MS / (uint64_t)(took / 1000000);
		n *= 2;
	}
}

static void bench_core(char *self, char *path)
{
	char amount[32];
	double alone[TURNS], ours[TURNS], perfs[TURNS];
	bool has_perf = true;

	snprintf(amount, sizeof(amount), "%llu",
	         (unsigned long long)amount_of_work());
	char work[] = "work", sampled[] = "sampled";
	char *const plain[] = { self, work, amount, path, NULL };
	char *const by_us[] = { self, sampled, amount, path, NULL };
	char *const by_perf[] = { "perf", "record", "-q",           "-F",
		                  "1000", "-g",     "--call-graph", "dwarf",
		                  "-o",   path,     "--",           self,
		                  work,   amount,   path,           NULL };
	for (int i = 0; i < TURNS; i++) {
		unlink(path);
		alone[i] = time_of(plain);
		ours[i] = time_of(by_us);
		unlink(path);
		perfs[i] = has_perf ? time_of(by_perf) : -1;
		has_perf = perfs[i] > 0;
		if (alone[i] <= 0 || ours[i] <= 0)
			bench_fail("a child failed");
		ours[i] = (ours[i] - alone[i]) / alone[i] * 100;
		perfs[i] = (perfs[i] - alone[i]) / alone[i] * 100;
	}
	unlink(path);
	const double own = median(ours);
	if (!has_perf) {
		bench_report_note("sampled 1,000 times a second: %+.2f %% "
		                  "processor time, all included; perf record "
		                  "does not run here",
		                  own);
		return;
	}
	bench_report_note("sampled 1,000 times a second: %+.2f %% processor "
	                  "time, all included; by perf record --call-graph "
	                  "dwarf: %+.2f %%",
	                  own, median(perfs));
}

int main(int argc, char **argv)
{
	char dir[] = "/tmp/syscap-bench-XXXXXX", path[64];

	if (argc == 4)
		return be_child(argv);
	if (mkdtemp(dir) == NULL)
		bench_fail("can't make a directory: %s", strerror(errno));
	snprintf(path, sizeof(path), "%s/capture", dir);
	bench_handler(path);
	unlink(path);
	bench_core(argv[0], path);
	rmdir(dir);
	return 0;
}
