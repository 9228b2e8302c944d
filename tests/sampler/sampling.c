/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling.c - helpers of the sampler's tests. */
#define _GNU_SOURCE
#include "sampler/sampling.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/capture.h>

#include "harness/test.h"

static char path[PATH_MAX];

void sampling_record(void)
{
	struct syscap_options options = { .size = sizeof(options) };
	char dir[] = "/tmp/syscap-sampling-XXXXXX";

	CHECK(mkdtemp(dir) != NULL);
	snprintf(path, sizeof(path), "%s/capture", dir);
	options.output = path;
	const int r = syscap_start(&options);
	if (r != 0)
		test_fail(__FILE__, __LINE__, "syscap_start(): %d, %s", r,
		          options.message);
}

static bool passes_by(const struct syscap_reader *reader,
                      const struct syscap_frame *frame, uintptr_t low,
                      uintptr_t high)
{
	uint64_t address;

	for (unsigned i = 0; i < frame->sample.n_addrs; i++)
		if (syscap_frame_addr(reader, frame, i, &address) &&
		    address > low && address <= high)
			return true;
	return false;
}

unsigned sampling_finish_within(int tid, uintptr_t low, uintptr_t high,
                                uint64_t *ret_weight, uint64_t *ret_within)
{
	struct syscap_error error;
	struct syscap_reader *reader;
	struct syscap_frame frame;
	unsigned n = 0;

	*ret_weight = *ret_within = 0;
	CHECK_EQ(syscap_stop(), 0);
	CHECK_EQ(syscap_reader_open(path, &reader, &error), 0);
	while (syscap_reader_next(reader, &frame, &error) > 0) {
		if (frame.type != SYSCAP_FRAME_SAMPLE ||
		    (tid != 0 && frame.tid != tid))
			continue;
		const uint64_t weight =
			frame.padding2 != 0
				? frame.padding2 & ~SYSCAP_WEIGHT_TAG_MASK
				: 1;
		n++;
		*ret_weight += weight;
		if (passes_by(reader, &frame, low, high))
			*ret_within += weight;
	}
	syscap_reader_close(reader);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	return n;
}

unsigned sampling_finish(int tid, uint64_t *ret_weight)
{
	uint64_t weight, within;
	const unsigned n = sampling_finish_within(tid, 0, 0, &weight, &within);

	if (ret_weight != NULL)
		*ret_weight = weight;
	return n;
}

void sampling_start(uint32_t clock, uint32_t hz)
{
	struct syscap_sampler_options options = { .size = sizeof(options),
		                                  .clock = clock,
		                                  .hz = hz };
	const int r = syscap_sampler_start(&options);

	if (r != 0)
		test_fail(__FILE__, __LINE__, "syscap_sampler_start(): %d, %s",
		          r, options.message);
}

struct syscap_sampler_stats sampling_stats(void)
{
	struct syscap_sampler_stats stats = { .size = sizeof(stats) };

	syscap_sampler_get_stats(&stats);
	return stats;
}

static int64_t ms_of(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t sampling_cpu_ms(void)
{
	return ms_of(CLOCK_THREAD_CPUTIME_ID);
}

int64_t sampling_wall_ms(void)
{
	return ms_of(CLOCK_MONOTONIC);
}

void sampling_burn(int ms)
{
	const int64_t until = sampling_cpu_ms() + ms;
	volatile unsigned n = 0;

	while (sampling_cpu_ms() < until)
		for (int i = 0; i < 10000; i++)
			n++;
}

void sampling_sleep(int ms)
{
	const int64_t until = sampling_wall_ms() + ms;

	while (sampling_wall_ms() < until)
		poll(NULL, 0, 1);
}

void sampling_leave(void)
{
#if defined(__SANITIZE_THREAD__)
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	usleep(1); /* TSan runs delayed handlers here */
#endif
}

int sampling_timers(void)
{
	FILE *const file = fopen("/proc/self/timers", "re");
	char line[256];
	int n = 0;

	if (file == NULL)
		return -1;
	while (fgets(line, sizeof(line), file) != NULL)
		n += strncmp(line, "ID:", 3) == 0;
	fclose(file);
	return n;
}

bool sampling_wait(bool (*condition)(int of), int of, int ms)
{
	const int64_t until = sampling_wall_ms() + ms;

	while (!condition(of)) {
		if (sampling_wall_ms() >= until)
			return false;
		poll(NULL, 0, 2);
	}
	return true;
}
