/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampling_summary.c - comparison of the requested samples with the samples
 * that arrived.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/strings.h"
#include "recorder/frame_intake.h"

#define FEW        50u /* fewer samples allow no statement */
#define LINES_MOST 3u

void syc_sampling_summary_take(struct syc_sampling_summary *sampling,
                               const struct syscap_wire_sample *sample)
{
	const uint32_t tag = sample->frame.padding2;
	const bool has_weight =
		(tag & SYSCAP_WEIGHT_TAG_MASK) == SYSCAP_WEIGHT_TAG;

	const uint32_t weight = has_weight ? tag & ~SYSCAP_WEIGHT_TAG_MASK : 1;
	const int class = 31 - __builtin_clz(weight | 1);

	sampling->samples++;
	sampling->ticks += weight;
	sampling->samples_by_weight[class]++;
	sampling->ticks_by_weight[class] += weight;
	if (sample->n_addrs == 0)
		sampling->without_stack += weight;
	sampling->stopped += (sample->flags & SYSCAP_STACK_STOPPED) != 0;
}

static uint64_t number_behind(const char *text, const char *word)
{
	const char *const at = strstr(text, word);

	return at != NULL ? strtoul(at + strlen(word), NULL, 10) : 0;
}

void syc_sampling_summary_note(struct syc_sampling_summary *sampling,
                               const char *text)
{
	sampling->blocked += number_behind(text, "blocked ");
	sampling->asleep += number_behind(text, "asleep ");
	sampling->small += number_behind(text, "small ");
	sampling->filtered += number_behind(text, "filtered ");
	sampling->limited += number_behind(text, "limited ");
	sampling->reported_ticks += number_behind(text, "ticks ");
	sampling->cramped += number_behind(text, "cramped ");
	sampling->took_us += number_behind(text, "took_us ");
}

void syc_sampling_summary_note_end(struct syc_sampling_summary *sampling)
{
	sampling->ended++;
}

void syc_sampling_summary_note_filter(struct syc_sampling_summary *sampling,
                                      const char *text)
{
	sampling->forbidden += (int64_t)number_behind(text, "ended ");
	sampling->forbidden -= (int64_t)number_behind(text, "resumed ");
}

/* The ticks of all samples.  Lost samples are assumed to have the mean weight
 * of the recorded samples. */
static double count_ticks(const struct syc_sampling_summary *sampling)
{
	const double lost = (double)sampling->lost;

	return (double)sampling->ticks +
	       (lost > 0 ? lost * (double)sampling->ticks /
	                           (double)sampling->samples
	                 : 0);
}

void syc_sampling_summary_compare(struct syc_sampling_summary *sampling,
                                  const char *sample, int64_t cpu_us)
{
	const uint64_t hz = strtoul(sample, NULL, 10);
	struct syc_unsampled result = {
		.n_threads = sampling->blocked + sampling->asleep +
		             sampling->small + sampling->filtered +
		             sampling->limited,
		.has_cpu = true,
		.cpu_us = (uint64_t)cpu_us,
	};
	struct syscap_profile_unsampled judged;

	/* A minority of samples does not have the weight of the lost ones */
	if (hz == 0 || cpu_us <= 0 || sampling->lost > sampling->samples)
		return;
	result.sampled_us =
		(uint64_t)(count_ticks(sampling) * 1e6 / (double)hz);
	syc_unsampled_judge(&result, &judged);
	/* Wall time may contain the missing processor time */
	if (judged.missing_ns > 0 || strstr(sample, ",wall") == NULL)
		sampling->unsampled = result;
}

void syc_sampling_summary_print_forbidden(
	const struct syc_sampling_summary *sampling)
{
	if (sampling->forbidden <= 0)
		return;
	fprintf(stderr,
	        "syscap record: recording of %lld thread%s ended early: a "
	        "seccomp filter of the program forbids a system call\n",
	        (long long)sampling->forbidden,
	        sampling->forbidden == 1 ? "" : "s");
}

/* Samples that were late by more than any tick of a kernel, of 10 ms or less. */
struct late {
	uint64_t samples, ticks;
};

static struct late count_late(const struct syc_sampling_summary *sampling,
                              uint64_t hz)
{
	struct late late = { 0 };

	for (unsigned i = 0; i < SYC_WEIGHT_CLASSES; i++)
		if ((UINT64_C(1) << i) * 16 >= hz && i > 0) {
			late.samples += sampling->samples_by_weight[i];
			late.ticks += sampling->ticks_by_weight[i];
		}
	return late;
}

/* Print the processor time whose ticks were delayed. */
static bool print_late(const struct syc_sampling_summary *sampling,
                       const char *sample)
{
	const uint64_t hz = strtoul(sample, NULL, 10);
	const struct late late = count_late(sampling, hz);

	if (20 * late.ticks < sampling->ticks ||
	    strstr(sample, ",wall") != NULL || late.ticks == 0)
		return false;
	fprintf(stderr,
	        "syscap record: %.0f ms of processor time have only %llu "
	        "late sample%s: threads blocked signals, or ran in the "
	        "kernel\n",
	        1e3 * (double)late.ticks / (double)hz,
	        (unsigned long long)late.samples, syc_plural(late.samples));
	return true;
}

/* Return whether the command may use perf's clock, as the sampler does. */
static bool has_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
	                            PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Print whether the kernel's tick limits the rate.  The kernel checks timers of
 * processor time only at its tick, whose period is that of the coarse clock. */
static void print_tick(unsigned long hz)
{
	struct timespec tick = { 0 };
	unsigned long most = 0;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 &&
	    tick.tv_sec == 0 && tick.tv_nsec > 0)
		most = (unsigned long)((1000000000 + tick.tv_nsec / 2) /
		                       tick.tv_nsec);
	if (most == 0 || hz <= most) {
		fputs("; the weights of the samples are right\n", stderr);
		return;
	}
	fprintf(stderr, "; this kernel's timers allow at most %lu", most);
	if (has_perf())
		fprintf(stderr, ", but --sample=%lu,perf allows more", hz);
	fputc('\n', stderr);
}

static bool print_rate(const struct syc_sampling_summary *sampling,
                       const char *sample)
{
	const unsigned long hz = strtoul(sample, NULL, 10);
	const bool is_wall = strstr(sample, ",wall") != NULL;
	const struct late late =
		is_wall ? (struct late){ 0 } : count_late(sampling, hz);
	const uint64_t ticks = sampling->ticks - late.ticks;
	const uint64_t samples = sampling->samples - late.samples;

	if (samples == 0 || 2 * ticks < 3 * samples)
		return false;
	fprintf(stderr,
	        "syscap record: %.0f instead of %lu samples came per second "
	        "of %s",
	        (double)hz * (double)samples / (double)ticks, hz,
	        is_wall ? "wall time" : "processor time");
	if (is_wall)
		fputs("; threads waited for a processor, or slept\n", stderr);
	else if (strstr(sample, ",perf") != NULL)
		fputs("; the kernel and ticks used the other time\n", stderr);
	else
		print_tick(hz);
	return true;
}

/*
 * Print the share of sampling in the threads' time that the ticks represent.
 */
static bool print_share(const struct syc_sampling_summary *sampling,
                        const char *sample)
{
	const double hz = (double)strtoul(sample, NULL, 10);
	const double share = (double)sampling->took_us * hz /
	                     (1e4 * (double)sampling->reported_ticks);

	if (sampling->reported_ticks < FEW || share < 5)
		return false;
	fprintf(stderr,
	        "syscap record: samples took %.0f %% of the threads' time; "
	        "a lower rate or share=N reduces this share\n",
	        share);
	return true;
}

/* Print the time of main threads without a tick until their end or exec. */
static bool print_without_stack(const struct syc_sampling_summary *sampling,
                                const char *sample)
{
	const double hz = (double)strtoul(sample, NULL, 10);

	if (100 * sampling->without_stack <= sampling->ticks)
		return false;
	fprintf(stderr,
	        "syscap record: %.0f ms of processor time have no stack: "
	        "threads ended or called exec before a first sample\n",
	        1e3 * (double)sampling->without_stack / hz);
	return true;
}

/*
 * Print the number of ticks without space for a sample.  The next sample has
 * the weight of these ticks.
 */
static bool print_cramped(const struct syc_sampling_summary *sampling)
{
	if (20 * sampling->cramped <= sampling->reported_ticks)
		return false;
	fprintf(stderr,
	        "syscap record: %llu tick%s found an alternate signal stack "
	        "without room; make it 64 KiB\n",
	        (unsigned long long)sampling->cramped,
	        syc_plural(sampling->cramped));
	return true;
}

static bool print_stopped(const struct syc_sampling_summary *sampling,
                          const char *command)
{
	const char *const slash = strrchr(command, '/');
	const double share =
		100 * (double)sampling->stopped / (double)sampling->samples;

	if (share < 5)
		return false;
	fprintf(stderr,
	        "syscap record: %.0f %% of the stacks are incomplete: %s\n",
	        share,
	        strcmp(slash != NULL ? slash + 1 : command, "java") == 0
	                ? "run java with -XX:+PreserveFramePointer"
	                : "some code, such as JIT code, has neither unwind "
	                  "tables nor frame pointers; compile with "
	                  "-fno-omit-frame-pointer, or enable the JIT's "
	                  "frame pointers");
	return true;
}

static bool print_unsampled(const struct syc_sampling_summary *sampling)
{
	const struct {
		uint64_t n;
		const char *one, *many;
	} reasons[] = {
		{ sampling->blocked, "blocks the signal", "block the signal" },
		{ sampling->asleep, "sleeps with the signal blocked",
		  "sleep with the signal blocked" },
		{ sampling->small, "has a small stack made by the program",
		  "have a small stack made by the program" },
		{ sampling->filtered, "began under a seccomp filter",
		  "began under a seccomp filter" },
		{ sampling->limited, "got no timer: raise ulimit -i",
		  "got no timer: raise ulimit -i" },
	};
	const char *before = "syscap record: threads without samples: ";

	for (unsigned i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if (reasons[i].n == 0)
			continue;
		fprintf(stderr, "%s%llu %s", before,
		        (unsigned long long)reasons[i].n,
		        reasons[i].n == 1 ? reasons[i].one : reasons[i].many);
		before = ", ";
	}
	if (before[0] == ',')
		putc('\n', stderr);
	return before[0] == ',';
}

/* Print the time without samples, such as the time of a program without the
 * sampler. */
static bool print_missing(const struct syc_sampling_summary *sampling)
{
	struct syscap_profile_unsampled unsampled;

	syc_unsampled_judge(&sampling->unsampled, &unsampled);
	if (unsampled.missing_ns == 0 || sampling->ticks == 0)
		return false;
	fprintf(stderr,
	        "syscap record: %.0f of %.0f ms of processor time could not "
	        "be sampled\n",
	        (double)unsampled.missing_ns / 1e6,
	        (double)unsampled.cpu_ns / 1e6);
	return true;
}

static bool print_ended(const struct syc_sampling_summary *sampling)
{
	if (sampling->ended == 0)
		return false;
	fprintf(stderr,
	        "syscap record: %llu process%s no longer sampled, since the "
	        "program handles the sampler's signals\n",
	        (unsigned long long)sampling->ended,
	        sampling->ended == 1 ? " was" : "es were");
	return true;
}

void syc_sampling_summary_print(const struct syc_sampling_summary *sampling,
                                const char *sample, const char *command)
{
	unsigned n = print_ended(sampling);

	n += print_unsampled(sampling);
	n += print_missing(sampling);
	if (n < LINES_MOST)
		n += print_cramped(sampling);
	if (n < LINES_MOST)
		n += print_without_stack(sampling, sample);
	if (sampling->samples < FEW)
		return;
	if (n < LINES_MOST)
		n += print_stopped(sampling, command);
	if (n < LINES_MOST)
		n += print_share(sampling, sample);
	if (n < LINES_MOST)
		n += print_late(sampling, sample);
	if (n < LINES_MOST)
		print_rate(sampling, sample);
}
