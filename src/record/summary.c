/* SPDX-License-Identifier: BSD-2-Clause */
/* summary.c - what was recorded, in a few lines on stderr. */
#include "record/summary.h"

#include <stdio.h>

#include "record/hottest.h"
#include "record/preload.h"
#include "record/report.h"

/* ", 3 threads"; nothing for none unless @always. */
static void print_count(const char *before, uint64_t n, const char *one,
                        const char *many, bool always)
{
	char text[32];

	if (n > 0 || always)
		fprintf(stderr, "%s%s %s", before, syc_report_number(n, text),
		        n == 1 ? one : many);
}

/* And what to do about it where many have none, for one reason. */
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
		fputs(": most others are of no file: of a JIT that tells no "
		      "names, or of who was gone too soon",
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
	print_count(", ", intake->threads, "thread", "threads",
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
		syc_hottest_print(output);
	fprintf(stderr, "syscap record: next: syscap stat %s\n", output);
}

void syc_summary_no_memory(const char *command, const struct syc_intake *intake)
{
	char why[512];

	if (intake->command_allocations > 0)
		return;
	if (syc_preload_refused(command, why, sizeof(why)))
		fprintf(stderr,
		        "syscap record: no allocations of the command: %s\n",
		        why);
	else if (intake->allocations == 0)
		fprintf(stderr, "syscap record: no allocations: there were "
		                "none, or else SYSCAP_DEBUG=1 tells why\n");
}

void syc_summary_no_waits(const char *command, const char *what)
{
	char why[512];

	if (syc_preload_refused(command, why, sizeof(why)))
		fprintf(stderr, "syscap record: no %s of the command: %s\n",
		        what, why);
}

void syc_summary_unsampled(const char *command, const struct syc_intake *intake)
{
	char why[512];

	if (intake->command_samples > 0)
		return;
	if (syc_preload_refused(command, why, sizeof(why)))
		fprintf(stderr,
		        "syscap record: no samples of the command: %s\n", why);
	else if (intake->samples == 0 && intake->delivered.ended == 0)
		fprintf(stderr,
		        "syscap record: no samples: none was due, or else "
		        "SYSCAP_DEBUG=1 tells why\n");
}

void syc_summary_without_ring(unsigned n)
{
	if (n == 0)
		return;
	print_count("syscap record: ", n, "process", "processes", true);
	fputs(" could not be recorded: nothing came in a ring that was "
	      "asked for\n",
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
