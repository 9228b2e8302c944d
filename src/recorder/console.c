/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * console.c - messages of the recorder on standard error: diagnostics,
 * progress, and a final summary with the hottest functions and the missing
 * parts.
 */
#define _GNU_SOURCE

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <syscap/profile.h>

#include "common/now.h"
#include "recorder/recorder.h"
#include "recorder/recording.h"

#define BURST  20u /* number of diagnostics before a limit of one per second */
#define SECOND INT64_C(1000000000)

/* Limits of the summary: number of functions, and bytes of a name. */
#define SHOWN      3u
#define NAME_BYTES 100u

/*
 * Maximum size of a capture whose functions are shown, about a second of
 * reading.  Most bytes of such captures are allocations, which the summary does
 * not read.
 */
#define LARGEST (UINT64_C(1) << 30)

/* The summary names a costly option of syscap from this share of the time
 * on. */
#define HINT_PERCENT 5

void syc_console_init(struct syc_console *console, bool quiet, int64_t now)
{
	*console = (struct syc_console){
		.quiet = quiet,
		.terminal = isatty(STDERR_FILENO) == 1,
		.began = now,
		.next_line = now,
		.tokens = BURST,
	};
}

/* Format a number like "1,234,567". */
static const char *format_number(uint64_t n, char text[32])
{
	char digits[24];
	const int len =
		snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	char *to = text;

	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = 0;
	return text;
}

static void erase_line(struct syc_console *console)
{
	if (console->line_shown)
		fputs("\r\033[K", stderr);
	console->line_shown = false;
}

static bool take_token(struct syc_console *console)
{
	const int64_t now = syc_now();

	if (console->tokens == 0 && now >= console->next_token)
		console->tokens = 1;
	if (console->tokens == 0) {
		console->suppressed++;
		return false;
	}
	console->tokens--;
	console->next_token = now + SECOND;
	return true;
}

void syc_console_print(struct syc_console *console, const char *format, ...)
{
	char text[512];
	va_list args;

	if (!take_token(console))
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	erase_line(console);
	fprintf(stderr, "syscap record: %s\n", text);
}

void syc_console_progress(struct syc_console *console, int64_t now,
                          const struct syc_console_counts *counts)
{
	char frames[32], lost[32];

	if (!console->terminal || console->quiet || now < console->next_line)
		return;
	console->next_line = now + SECOND / 4;
	fprintf(stderr,
	        "\rrecording %.1f s  %s frames  %.1f MiB  %s lost\033[K",
	        (double)(now - console->began) / 1e9,
	        format_number(counts->frames, frames),
	        (double)counts->bytes / (1 << 20),
	        format_number(counts->lost, lost));
	console->line_shown = true;
}

void syc_console_naming(struct syc_console *console, int64_t now, uint64_t done,
                        uint64_t all)
{
	if (!console->terminal || console->quiet || now < console->next_line)
		return;
	console->next_line = now + SECOND / 4;
	fprintf(stderr, "\radding names  %.0f %%\033[K",
	        all > 0 ? 100 * (double)done / (double)all : 100);
	console->line_shown = true;
}

void syc_console_downloading(struct syc_console *console, int64_t now,
                             uint64_t done, uint64_t all)
{
	if (!console->terminal || console->quiet || now < console->next_line)
		return;
	console->next_line = now + SECOND / 4;
	if (all == 0)
		fputs("\rasking for a debug file (Ctrl-C skips)\033[K", stderr);
	else
		fprintf(stderr,
		        "\rdownloading a debug file: %.1f of %.1f MB (Ctrl-C "
		        "skips)\033[K",
		        (double)done / 1e6, (double)all / 1e6);
	console->line_shown = true;
}

void syc_console_finish(struct syc_console *console)
{
	erase_line(console);
	if (console->suppressed > 0)
		fprintf(stderr, "syscap record: omitted %llu more messages\n",
		        (unsigned long long)console->suppressed);
	console->suppressed = 0;
	console->terminal = false;
}

static void print_name(const char *name)
{
	/* Cut the long names of C++, which would fill the terminal. */
	int len = (int)strnlen(name, NAME_BYTES);

	while (len > 0 && ((unsigned char)name[len] & 0xC0) == 0x80)
		len--;
	fprintf(stderr, "%.*s%s", len, name, name[len] != 0 ? "…" : "");
}

/* Print the cost of recording, and the option that causes most of the cost. */
static void print_recording(const struct syscap_view *view)
{
	const double memory =
		100 * (double)view->recording_memory / (double)view->whole;
	char text[160];

	syscap_view_describe_recording(view, text, sizeof(text));
	if (text[0] == 0)
		return;
	fprintf(stderr, "syscap record: %s%s\n", text,
	        memory >= HINT_PERCENT
	                ? "; omit --memory, or sample allocations with "
	                  "--memory=512K"
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
		/* The recorder has looked names up, or the user requested no
		 * names. */
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
 * stderr.  Print nothing if the capture is unreadable (which other messages
 * report), has no samples, or is very large.  Context: offline.
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

/* Print a count such as ", 3 threads", but no 0 unless @always. */
static void print_count(const char *before, uint64_t n, const char *one,
                        const char *many, bool always)
{
	char text[32];

	if (n > 0 || always)
		fprintf(stderr, "%s%s %s", before, format_number(n, text),
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
		        "; most others are in %s: install its debug symbols",
		        names->most);
	else if (others > names->addresses / 10 && names->unmapped > others / 2)
		fputs("; most others are in no file: a JIT reports no names, "
		      "or processes exited early",
		      stderr);
	putc('\n', stderr);
}

/* Print how many frames came at and after the failure of a write. */
static void print_dropped(const struct syc_writer_totals *totals)
{
	const char *before = "; these include ";

	if (totals->dropped == 0)
		return;
	print_count("syscap record: not written: ", totals->dropped,
	            "more frame", "more frames", true);
	if (totals->samples.dropped > 0) {
		print_count(before, totals->samples.dropped, "sample",
		            "samples", true);
		before = " and ";
	}
	print_count(before, totals->allocations.dropped, "allocation",
	            "allocations", false);
	putc('\n', stderr);
}

/* Print the content of the file. */
static void print_totals(const char *output,
                         const struct syc_writer_totals *totals,
                         const struct syc_intake *intake, unsigned processes)
{
	fprintf(stderr, "syscap record: %s: ", output);
	print_count("", totals->frames, "frame", "frames", true);
	print_count(" of ", processes, "process", "processes", true);
	print_count(intake->has_more_threads ? ", at least " : ", ",
	            intake->threads.n, "thread", "threads",
	            intake->other_rings == 0);
	print_count(", ", intake->other_rings, "ring of another client",
	            "rings of other clients", false);
	print_count(", ", totals->samples.kept, "sample", "samples", false);
	print_count(", ", totals->allocations.kept, "allocation", "allocations",
	            false);
	print_count(", ", intake->lost, "frame lost", "frames lost", true);
	print_count(", ", intake->closed, "malformed ring", "malformed rings",
	            false);
	putc('\n', stderr);
	print_dropped(totals);
}

/* Only a regular file can be read again: a pipe or /dev/full cannot. */
static void print_content(const struct syc_recording *recording,
                          unsigned processes)
{
	const char *const output = recording->options->output;
	struct syc_writer_totals totals;

	syc_writer_totals(recording->writer, &totals);
	print_totals(output, &totals, &recording->intake, processes);
	print_names(&recording->names);
	if (!totals.is_regular)
		return;
	if (totals.samples.kept > 0)
		print_hottest(output);
	fprintf(stderr, "syscap record: next: syscap stat %s\n", output);
}

static void print_no_memory(const char *command,
                            const struct syc_intake *intake)
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
		        "syscap record: no allocations of the command: %s "
		        "replaces the allocator; record a build without it\n",
		        sanitizer);
	else if (syc_preload_has_malloc(command))
		fprintf(stderr,
		        "syscap record: no allocations of the command, "
		        "because the command defines malloc() itself\n");
	else if (intake->allocations == 0)
		fprintf(stderr,
		        "syscap record: the capture has no allocations; "
		        "SYSCAP_DEBUG=1 shows the reason\n");
}

/*
 * Print that @n processes with the shared runtime got the settings required for
 * their start.
 */
static void print_asan(const char *command, unsigned n)
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

/*
 * Print why @command gave no events.  Print nothing if events were possible,
 * because perhaps no stall was long enough.
 */
static void print_no_waits(const char *command, const char *what)
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

/* Print why the command has no samples.  @rate is $SYSCAP_SAMPLE of the
 * command, @cpu_us its processor time. */
static void print_unsampled(const char *command, const char *rate,
                            int64_t cpu_us, const struct syc_intake *intake)
{
	char why[512];

	if (intake->command_samples > 0)
		return;
	if (syc_preload_refused(command, why, sizeof(why)))
		fprintf(stderr,
		        "syscap record: no samples of the command: %s\n", why);
	else if (intake->samples == 0 && intake->sampling.lost > 0)
		fprintf(stderr,
		        "syscap record: all %llu samples are lost, since the "
		        "rings were full; use a larger --ring-kib\n",
		        (unsigned long long)intake->sampling.lost);
	else if (intake->samples == 0 && intake->sampling.ended == 0)
		fprintf(stderr,
		        "syscap record: no samples of the command in %.1f ms "
		        "of processor time%s\n",
		        (double)cpu_us / 1000,
		        was_none_due(rate, cpu_us)
		                ? ": no tick was due"
		                : "; SYSCAP_DEBUG=1 shows the sampled threads");
}

static void print_unloaded(unsigned n)
{
	if (n > 0)
		fprintf(stderr,
		        "syscap record: %u process%s did not load the "
		        "sampler: another root directory, or no LD_PRELOAD in "
		        "the environment\n",
		        n, n == 1 ? "" : "es");
}

static void print_nothing(char *const argv[])
{
	fprintf(stderr,
	        "syscap record: the command emitted no events; for stacks of "
	        "any program: syscap record --sample -- %s%s\n",
	        argv[0], argv[1] != NULL ? " ..." : "");
}

/* Print that @n processes found the recorder, and ended before they got a
 * ring. */
static void print_without_ring(unsigned n)
{
	if (n == 0)
		return;
	print_count("syscap record: could not record ", n, "process",
	            "processes", true);
	fputs(": no event came into the requested ring\n", stderr);
}

/*
 * Print that @n processes had SYSCAP_SAMPLE in their environment, but no linked
 * sampler.  If @is_preloaded, a sampler was preloaded into the command.
 */
static void print_without_sampler(unsigned n, bool is_preloaded)
{
	if (n == 0)
		return;
	print_count("syscap record: ", n, "process has no linked sampler",
	            "processes have no linked sampler", true);
	fputs(is_preloaded ? "\n" : "; use --sample\n", stderr);
}

static void print_refused(uint64_t n)
{
	if (n > 0)
		fprintf(stderr,
		        "syscap record: %llu request%s for a ring failed; the "
		        "capture lacks events of the requesting threads\n",
		        (unsigned long long)n, n == 1 ? "" : "s");
}

static void print_alive(unsigned n)
{
	if (n > 0)
		fprintf(stderr,
		        "syscap record: %u process%s still recording when the "
		        "capture ended\n",
		        n, n == 1 ? " was" : "es were");
}

/* Print which requested kinds of events are missing, and why. */
static void print_not_given(const struct syc_recording *recording)
{
	const struct syc_record_options *const options = recording->options;
	const char *const command = options->argv[0];

	/* The command inherits the recorder's environment */
	if (options->sample != NULL || getenv("SYSCAP_SAMPLE") != NULL)
		print_without_sampler(
			syc_processes_without_sampler(recording->processes),
			options->sample != NULL);
	if (options->memory != NULL)
		print_no_memory(command, &recording->intake);
	if (options->io != NULL)
		print_no_waits(command, "calls that blocked");
	if (options->stalls != NULL)
		print_no_waits(command, "stalls");
	if (options->logs != NULL)
		print_no_waits(command, "logs");
	if (options->sample != NULL)
		print_unsampled(command, options->sample,
		                recording->command.cpu_us, &recording->intake);
	print_unloaded(syc_unloaded_count(&recording->unloaded));
}

static bool is_empty(const struct syc_recording *recording)
{
	const struct syc_record_options *const options = recording->options;

	return recording->intake.threads.n + recording->intake.other_rings ==
	               0 &&
	       recording->preload == NULL && !options->trace_fd &&
	       !options->gjs && !options->error_lines &&
	       options->counters.groups == 0;
}

static void print_result(const struct syc_recording *recording,
                         unsigned processes)
{
	const struct syc_record_options *const options = recording->options;

	if (options->quiet)
		return;
	syc_sampling_summary_print_forbidden(&recording->intake.sampling);
	if (options->sample != NULL)
		syc_sampling_summary_print(&recording->intake.sampling,
		                           options->sample, options->argv[0]);
	if (recording->preload != NULL)
		print_asan(options->argv[0],
		           syc_processes_files(recording->processes)->n_asan);
	print_content(recording, processes);
	if (is_empty(recording) && !options->is_waiting)
		print_nothing(options->argv);
}

void syc_summary_print(const struct syc_recording *recording,
                       const struct syc_summary_processes *processes)
{
	print_alive(processes->alive);
	print_refused(recording->rings.refused);
	print_without_ring(processes->missing);
	print_not_given(recording);
	print_result(recording, processes->all);
}
