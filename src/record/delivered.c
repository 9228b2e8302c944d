/* SPDX-License-Identifier: BSD-2-Clause */
/* delivered.c - what became of the samples that were asked for. */
#include "record/delivered.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEW 50u /* samples, of which nothing can be said */

void syc_delivered_take(struct syc_delivered *delivered,
                        const struct syscap_wire_sample *sample)
{
	const uint32_t tag = sample->frame.padding2;

	if ((tag & SYSCAP_WEIGHT_TAG_MASK) != SYSCAP_WEIGHT_TAG)
		return;
	delivered->samples++;
	delivered->ticks += tag & ~SYSCAP_WEIGHT_TAG_MASK;
	delivered->stopped += (sample->flags & SYSCAP_STACK_STOPPED) != 0;
}

static uint64_t number_behind(const char *text, const char *word)
{
	const char *const at = strstr(text, word);

	return at != NULL ? strtoul(at + strlen(word), NULL, 10) : 0;
}

void syc_delivered_note(struct syc_delivered *delivered, const char *text)
{
	delivered->blocked += number_behind(text, "blocked ");
	delivered->small += number_behind(text, "small ");
	delivered->filtered += number_behind(text, "filtered ");
	delivered->limited += number_behind(text, "limited ");
	delivered->told_ticks += number_behind(text, "ticks ");
	delivered->cramped += number_behind(text, "cramped ");
	delivered->took_us += number_behind(text, "took_us ");
}

void syc_delivered_note_end(struct syc_delivered *delivered)
{
	delivered->ended++;
}

#define LINES_MOST 3u

/* The kernel's own tick is all that processor time is looked at by. */
static bool print_rate(const struct syc_delivered *delivered,
                       const char *sample)
{
	const unsigned long hz = strtoul(sample, NULL, 10);

	if (strstr(sample, ",wall") != NULL ||
	    strstr(sample, ",perf") != NULL ||
	    2 * delivered->ticks < 3 * delivered->samples)
		return false;
	fprintf(stderr,
	        "syscap record: %.0f samples a second of processor time came, "
	        "of %lu: this kernel's timers are no finer; "
	        "--sample=%lu,perf has more\n",
	        (double)hz * (double)delivered->samples /
	                (double)delivered->ticks,
	        hz, hz);
	return true;
}

/* Of the threads' time, which their ticks stand for. */
static bool print_share(const struct syc_delivered *delivered,
                        const char *sample)
{
	const double hz = (double)strtoul(sample, NULL, 10);
	const double share = (double)delivered->took_us * hz /
	                     (1e4 * (double)delivered->told_ticks);

	if (delivered->told_ticks < FEW || share < 5)
		return false;
	fprintf(stderr,
	        "syscap record: samples took %.0f %% of the threads' time: "
	        "fewer a second take less, as would share=N\n",
	        share);
	return true;
}

/* The next sample stood for them, which may be of something else. */
static bool print_cramped(const struct syc_delivered *delivered)
{
	if (20 * delivered->cramped <= delivered->told_ticks)
		return false;
	fprintf(stderr,
	        "syscap record: %llu ticks came while a handler was on an "
	        "alternate stack without room for them: one of 64 KiB has\n",
	        (unsigned long long)delivered->cramped);
	return true;
}

static bool print_stopped(const struct syc_delivered *delivered,
                          const char *command)
{
	const char *const slash = strrchr(command, '/');
	const double share =
		100 * (double)delivered->stopped / (double)delivered->samples;

	if (share < 5)
		return false;
	fprintf(stderr, "syscap record: %.0f %% of the stacks stop short: %s\n",
	        share,
	        strcmp(slash != NULL ? slash + 1 : command, "java") == 0
	                ? "give java -XX:+PreserveFramePointer"
	                : "code without tables and without frame pointers, as "
	                  "of a JIT; have it keep frame pointers");
	return true;
}

static bool print_unsampled(const struct syc_delivered *delivered)
{
	const struct {
		uint64_t n;
		const char *why;
	} reasons[] = {
		{ delivered->blocked, "block the signal" },
		{ delivered->small, "have a small stack of the program's own" },
		{ delivered->filtered, "began under a filter of system calls" },
		{ delivered->limited, "got no timer: raise ulimit -i" },
	};
	const char *before = "syscap record: threads without samples: ";

	for (unsigned i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if (reasons[i].n == 0)
			continue;
		fprintf(stderr, "%s%llu %s", before,
		        (unsigned long long)reasons[i].n, reasons[i].why);
		before = ", ";
	}
	if (before[0] == ',')
		putc('\n', stderr);
	return before[0] == ',';
}

static bool print_ended(const struct syc_delivered *delivered)
{
	if (delivered->ended == 0)
		return false;
	fprintf(stderr,
	        "syscap record: %llu process%s sampled no more, since the "
	        "program came to handle the signals of ticks itself\n",
	        (unsigned long long)delivered->ended,
	        delivered->ended == 1 ? " was" : "es were");
	return true;
}

void syc_delivered_print(const struct syc_delivered *delivered,
                         const char *sample, const char *command)
{
	unsigned n = print_ended(delivered);

	n += print_unsampled(delivered);
	n += print_cramped(delivered);
	if (delivered->samples < FEW)
		return;
	if (n < LINES_MOST)
		n += print_stopped(delivered, command);
	if (n < LINES_MOST)
		n += print_share(delivered, sample);
	if (n < LINES_MOST)
		print_rate(delivered, sample);
}
