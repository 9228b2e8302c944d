/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * summary.c - summary of a recording on standard error: its hottest functions,
 * missing parts, and a comparison of its samples with the requested samples.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <syscap/profile.h>

#include "recorder/console.h"
#include "recorder/intake.h"
#include "recorder/preload.h"
#include "recorder/recording.h"

#define SHOWN      3u
#define NAME_BYTES 100u

/* About a second of reading: most bytes of larger captures are allocations,
 * which the summary does not read. */
#define LARGEST (UINT64_C(1) << 30)

/* From this part of the time on, an option of syscap is worth a hint. */
#define HINT_PERCENT 5

static void print_name(const char *name)
{
	/* Longer names of C++ would fill the terminal. */
	int len = (int)strnlen(name, NAME_BYTES);

	while (len > 0 && ((unsigned char)name[len] & 0xC0) == 0x80)
		len--;
	fprintf(stderr, "%.*s%s", len, name, name[len] != 0 ? "…" : "");
}

/* The cost of recording, and the option whose absence saves most of it. */
static void print_recording(const struct syscap_view *view)
{
	const double memory =
		100 * (double)view->recording_memory / (double)view->whole;
	char text[160];

	syscap_view_describe_recording(view, text, sizeof(text));
	if (text[0] == 0)
		return;
	fprintf(stderr, "syscap record: %s%s\n", text,
	        memory >= HINT_PERCENT ? ": leave out --memory, or sample "
	                                 "allocations with --memory=512K"
	                               : "");
}

static void print_view(const struct syscap_profile *profile,
                       const struct syscap_view *view)
{
	for (size_t i = 0; i < view->n_sums && i < SHOWN; i++) {
		const struct syscap_view_sum *sum = &view->sums[i];
		const struct syscap_profile_function *function =
			syscap_profile_function(profile, sum->function);

		if (sum->self == 0)
			break;
		fprintf(stderr, "syscap record: %5.1f %%  ",
		        100 * (double)sum->self / (double)view->total);
		print_name(function->name);
		if (function->is_inlined)
			fputs(" (inlined)", stderr);
		if (function->binary[0] != 0)
			fprintf(stderr, "  (%.60s)", function->binary);
		putc('\n', stderr);
	}
}

static void print_capture(struct syscap_reader *reader)
{
	const struct syscap_profile_options options = {
		.parts = SYSCAP_PROFILE_SAMPLES,
		/* Lookup of names was done, or is not wanted. */
		.no_lookup = true,
	};
	struct syscap_profile *profile;
	struct syscap_view *view;

	if (syscap_profile_new(&options, &profile) < 0)
		return;
	if (syscap_profile_read(profile, reader, NULL) == 0 &&
	    syscap_profile_settle(profile) == 0 &&
	    syscap_view_new(profile, NULL, &view, NULL) == 0) {
		print_view(profile, view);
		if (view->whole > 0)
			print_recording(view);
		syscap_view_free(view);
	}
	syscap_profile_free(profile);
}

/*
 * Print the three functions of the capture @path with the largest own time on
 * stderr.  Nothing is printed if the capture is unreadable (which other
 * messages report), has no samples, or is very large.  Context: offline.
 */
static void print_hottest(const char *path)
{
	struct syscap_file_info info;
	struct syscap_reader *reader;

	if (syscap_reader_open(path, &reader, NULL) < 0)
		return;
	syscap_reader_info(reader, &info);
	if (info.size <= LARGEST)
		print_capture(reader);
	syscap_reader_close(reader);
}

/* Print ", 3 threads"; print nothing for 0 unless @always. */
static void print_count(const char *before, uint64_t n, const char *one,
                        const char *many, bool always)
{
	char text[32];

	if (n > 0 || always)
		fprintf(stderr, "%s%s %s", before, syc_console_number(n, text),
		        n == 1 ? one : many);
}

/*
 * Print the share of named addresses, and a remedy if many addresses have no
 * name for one reason.
 */
static void print_names(const struct syc_names_found *names)
{
	const uint64_t others = names->addresses - names->named;

	if (names->addresses == 0)
		return;
	fprintf(stderr,
	        "syscap record: %.1f %% of the addresses in stacks have names",
	        100 * (double)names->named / (double)names->addresses);
	if (others > names->addresses / 10 && names->of_most > others / 2)
		fprintf(stderr,
		        ": most others are of %s: install its debug symbols",
		        names->most);
	else if (others > names->addresses / 10 && names->unmapped > others / 2)
		fputs(": most others are of no file: of a JIT that reports no "
		      "names, or of processes that exited early",
		      stderr);
	putc('\n', stderr);
}

void syc_summary_print(const char *output, const struct syc_writer *writer,
                       const struct syc_intake *intake, unsigned processes,
                       const struct syc_names_found *names)
{
	struct syc_writer_totals totals;

	syc_writer_totals(writer, &totals);
	fprintf(stderr, "syscap record: %s: ", output);
	print_count("", totals.frames, "frame", "frames", true);
	print_count(", ", processes, "process", "processes", true);
	print_count(intake->has_more_threads ? ", at least " : ", ",
	            intake->threads.n, "thread", "threads",
	            intake->other_rings == 0);
	print_count(", ", intake->other_rings, "ring of another client",
	            "rings of other clients", false);
	print_count(", ", intake->samples, "sample", "samples", false);
	print_count(", ", intake->allocations, "allocation", "allocations",
	            false);
	print_count(", ", intake->lost, "frame lost", "frames lost", true);
	print_count(", ", totals.dropped, "not written", "not written", false);
	print_count(", ", intake->closed, "malformed ring", "malformed rings",
	            false);
	putc('\n', stderr);
	print_names(names);
	if (intake->samples > 0)
		print_hottest(output);
	fprintf(stderr, "syscap record: next: syscap stat %s\n", output);
}

void syc_summary_no_memory(const char *command, const struct syc_intake *intake)
{
	const char *const sanitizer = syc_preload_sanitizer(command);
	char why[512];

	if (intake->command_allocations > 0)
		return;
	if (syc_preload_refused(command, why, sizeof(why)))
		fprintf(stderr,
		        "syscap record: no allocations of the command: %s\n",
		        why);
	else if (sanitizer != NULL)
		fprintf(stderr,
		        "syscap record: no allocations of the command: its "
		        "allocator is %s's\n",
		        sanitizer);
	else if (syc_preload_has_malloc(command))
		fprintf(stderr,
		        "syscap record: no allocations of the command: it has "
		        "its own malloc(), which comes before a preloaded "
		        "one\n");
	else if (intake->allocations == 0)
		fprintf(stderr, "syscap record: no allocations: there were "
		                "none, or else SYSCAP_DEBUG=1 shows why\n");
}

void syc_summary_asan(const char *command, unsigned n)
{
	const char *const sanitizer = syc_preload_sanitizer(command);

	/* Processes without events were not counted */
	if (n == 0 && sanitizer != NULL)
		n = strcmp(sanitizer, SYC_PRELOAD_ASAN) == 0;
	if (n > 0)
		fprintf(stderr,
		        "syscap record: %u process%s " SYC_PRELOAD_ASAN
		        ", and ran with verify_asan_link_order=0\n",
		        n, n == 1 ? " has" : "es have");
}

void syc_summary_no_waits(const char *command, const char *what)
{
	char why[512];

	if (syc_preload_refused(command, why, sizeof(why)))
		fprintf(stderr, "syscap record: no %s of the command: %s\n",
		        what, why);
}

static bool was_none_due(const char *rate, int64_t cpu_us)
{
	return strstr(rate, ",wall") == NULL &&
	       cpu_us * strtol(rate, NULL, 10) < 1000000;
}

void syc_summary_unsampled(const char *command, const char *rate,
                           int64_t cpu_us, const struct syc_intake *intake)
{
	char why[512];

	if (intake->command_samples > 0)
		return;
	if (syc_preload_refused(command, why, sizeof(why)))
		fprintf(stderr,
		        "syscap record: no samples of the command: %s\n", why);
	else if (intake->samples == 0 && intake->delivered.ended == 0)
		fprintf(stderr,
		        "syscap record: no samples%s in %.1f ms of processor "
		        "time%s\n",
		        was_none_due(rate, cpu_us) ? ": none was due" : "",
		        (double)cpu_us / 1000,
		        was_none_due(rate, cpu_us)
		                ? ""
		                : "; SYSCAP_DEBUG=1 shows what is sampled");
}

void syc_summary_unloaded(unsigned n)
{
	if (n > 0)
		fprintf(stderr,
		        "syscap record: %u process%s never loaded the sampler: "
		        "another root, or an environment without LD_PRELOAD\n",
		        n, n == 1 ? "" : "es");
}

void syc_summary_nothing(char *const argv[])
{
	fprintf(stderr,
	        "syscap record: nothing was emitted; for stacks of any program: "
	        "syscap record --sample -- %s%s\n",
	        argv[0], argv[1] != NULL ? " ..." : "");
}

void syc_summary_without_ring(unsigned n)
{
	if (n == 0)
		return;
	print_count("syscap record: ", n, "process", "processes", true);
	fputs(" could not be recorded: no events came in a requested ring\n",
	      stderr);
}

void syc_summary_without_sampler(unsigned n, bool is_preloaded)
{
	if (n == 0)
		return;
	print_count("syscap record: ", n, "process holds no sampler",
	            "processes hold no sampler", true);
	fputs(is_preloaded ? "\n" : ": use --sample\n", stderr);
}

/* Comparison of the requested samples with the samples that arrived. */

#define FEW 50u /* fewer samples are too few for a statement */

void syc_sampling_summary_take(struct syc_sampling_summary *delivered,
                               const struct syscap_wire_sample *sample)
{
	const uint32_t tag = sample->frame.padding2;
	const bool has_weight =
		(tag & SYSCAP_WEIGHT_TAG_MASK) == SYSCAP_WEIGHT_TAG;

	const uint32_t weight = has_weight ? tag & ~SYSCAP_WEIGHT_TAG_MASK : 1;

	delivered->samples++;
	delivered->ticks += weight;
	if (sample->n_addrs == 0)
		delivered->without_stack += weight;
	delivered->stopped += (sample->flags & SYSCAP_STACK_STOPPED) != 0;
}

static uint64_t number_behind(const char *text, const char *word)
{
	const char *const at = strstr(text, word);

	return at != NULL ? strtoul(at + strlen(word), NULL, 10) : 0;
}

void syc_sampling_summary_note(struct syc_sampling_summary *delivered,
                               const char *text)
{
	delivered->blocked += number_behind(text, "blocked ");
	delivered->small += number_behind(text, "small ");
	delivered->filtered += number_behind(text, "filtered ");
	delivered->limited += number_behind(text, "limited ");
	delivered->reported_ticks += number_behind(text, "ticks ");
	delivered->cramped += number_behind(text, "cramped ");
	delivered->took_us += number_behind(text, "took_us ");
}

void syc_sampling_summary_note_end(struct syc_sampling_summary *delivered)
{
	delivered->ended++;
}

void syc_sampling_summary_note_filter(struct syc_sampling_summary *delivered,
                                      const char *text)
{
	delivered->forbidden += (int64_t)number_behind(text, "ended ");
	delivered->forbidden -= (int64_t)number_behind(text, "resumed ");
}

void syc_sampling_summary_print_forbidden(
	const struct syc_sampling_summary *delivered)
{
	if (delivered->forbidden <= 0)
		return;
	fprintf(stderr,
	        "syscap record: %lld thread%s not recorded to the end: a "
	        "seccomp filter of the program forbids a needed system call\n",
	        (long long)delivered->forbidden,
	        delivered->forbidden == 1 ? " was" : "s were");
}

#define LINES_MOST 3u

static bool print_rate(const struct syc_sampling_summary *delivered,
                       const char *sample)
{
	const unsigned long hz = strtoul(sample, NULL, 10);
	const bool is_wall = strstr(sample, ",wall") != NULL;

	if (2 * delivered->ticks < 3 * delivered->samples)
		return false;
	fprintf(stderr,
	        "syscap record: %.0f samples a second of %s came, of %lu",
	        (double)hz * (double)delivered->samples /
	                (double)delivered->ticks,
	        is_wall ? "wall time" : "processor time", hz);
	if (is_wall)
		fputs(": threads waited for a processor, or slept\n", stderr);
	else if (strstr(sample, ",perf") != NULL)
		fputs(": the rest was spent in the kernel, or in ticks\n",
		      stderr);
	else /* the kernel checks such timers only at its own tick */
		fprintf(stderr,
		        ": this kernel's timers are no finer; "
		        "--sample=%lu,perf has more\n",
		        hz);
	return true;
}

/*
 * Print the share of sampling in the threads' time, which the ticks represent.
 */
static bool print_share(const struct syc_sampling_summary *delivered,
                        const char *sample)
{
	const double hz = (double)strtoul(sample, NULL, 10);
	const double share = (double)delivered->took_us * hz /
	                     (1e4 * (double)delivered->reported_ticks);

	if (delivered->reported_ticks < FEW || share < 5)
		return false;
	fprintf(stderr,
	        "syscap record: samples took %.0f %% of the threads' time; "
	        "use a lower rate or share=N to reduce that\n",
	        share);
	return true;
}

/* Print the time of main threads without a tick until their end or exec. */
static bool print_without_stack(const struct syc_sampling_summary *delivered,
                                const char *sample)
{
	const double hz = (double)strtoul(sample, NULL, 10);

	if (100 * delivered->without_stack <= delivered->ticks)
		return false;
	fprintf(stderr,
	        "syscap record: %.0f ms of processor time have no stack: their "
	        "threads ended or called exec before a first sample\n",
	        1e3 * (double)delivered->without_stack / hz);
	return true;
}

/*
 * Print the number of ticks without room for a sample.  The next sample has the
 * weight of these ticks.
 */
static bool print_cramped(const struct syc_sampling_summary *delivered)
{
	if (20 * delivered->cramped <= delivered->reported_ticks)
		return false;
	fprintf(stderr,
	        "syscap record: %llu ticks found an alternate signal stack "
	        "without room; make it 64 KiB\n",
	        (unsigned long long)delivered->cramped);
	return true;
}

static bool print_stopped(const struct syc_sampling_summary *delivered,
                          const char *command)
{
	const char *const slash = strrchr(command, '/');
	const double share =
		100 * (double)delivered->stopped / (double)delivered->samples;

	if (share < 5)
		return false;
	fprintf(stderr,
	        "syscap record: %.0f %% of the stacks are incomplete: %s\n",
	        share,
	        strcmp(slash != NULL ? slash + 1 : command, "java") == 0
	                ? "run java with -XX:+PreserveFramePointer"
	                : "code without unwind tables or frame pointers, for "
	                  "example of a JIT; make it keep frame pointers");
	return true;
}

static bool print_unsampled(const struct syc_sampling_summary *delivered)
{
	const struct {
		uint64_t n;
		const char *why;
	} reasons[] = {
		{ delivered->blocked, "block the signal" },
		{ delivered->small, "have a small stack made by the program" },
		{ delivered->filtered, "began under a seccomp filter" },
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

static bool print_ended(const struct syc_sampling_summary *delivered)
{
	if (delivered->ended == 0)
		return false;
	fprintf(stderr,
	        "syscap record: %llu process%s sampled no longer, since the "
	        "program handles the sampler's signals itself\n",
	        (unsigned long long)delivered->ended,
	        delivered->ended == 1 ? " was" : "es were");
	return true;
}

void syc_sampling_summary_print(const struct syc_sampling_summary *delivered,
                                const char *sample, const char *command)
{
	unsigned n = print_ended(delivered);

	n += print_unsampled(delivered);
	n += print_cramped(delivered);
	if (n < LINES_MOST)
		n += print_without_stack(delivered, sample);
	if (delivered->samples < FEW)
		return;
	if (n < LINES_MOST)
		n += print_stopped(delivered, command);
	if (n < LINES_MOST)
		n += print_share(delivered, sample);
	if (n < LINES_MOST)
		print_rate(delivered, sample);
}
