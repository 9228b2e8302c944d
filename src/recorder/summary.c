/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * summary.c - summary of a recording on standard error, with its hottest
 * functions.
 */
#define _GNU_SOURCE
#include "recorder/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <syscap/profile.h>

#include "recorder/console.h"
#include "recorder/preload.h"

#define SHOWN      3u
#define NAME_BYTES 100u

/* About a second of reading. */
#define LARGEST (UINT64_C(200) << 20)

static void print_name(const char *name)
{
	/* Longer ones of C++ would fill the terminal. */
	int len = (int)strnlen(name, NAME_BYTES);

	while (len > 0 && ((unsigned char)name[len] & 0xC0) == 0x80)
		len--;
	fprintf(stderr, "%.*s%s", len, name, name[len] != 0 ? "…" : "");
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
		.no_lookup = true, /* it was done, or is not wanted */
	};
	struct syscap_profile *profile;
	struct syscap_view *view;

	if (syscap_profile_new(&options, &profile) < 0)
		return;
	if (syscap_profile_read(profile, reader, NULL) == 0 &&
	    syscap_profile_settle(profile) == 0 &&
	    syscap_view_new(profile, NULL, &view, NULL) == 0) {
		print_view(profile, view);
		syscap_view_free(view);
	}
	syscap_profile_free(profile);
}

/*
 * Print the three functions of the capture @path with the largest own time on
 * stderr.  Nothing is printed if it is unreadable, which other messages report,
 * if it has no samples, or if it is very large.  Context: offline.
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

/* ", 3 threads"; nothing for none unless @always. */
static void print_count(const char *before, uint64_t n, const char *one,
                        const char *many, bool always)
{
	char text[32];

	if (n > 0 || always)
		fprintf(stderr, "%s%s %s", before, syc_console_number(n, text),
		        n == 1 ? one : many);
}

/* Also the remedy, if many have none for one reason. */
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

	/* It need not have had an event to be seen by */
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
