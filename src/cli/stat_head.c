/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_head.c - first lines of `syscap stat`: the use of time, the hottest
 * function, functions without names, losses, and the cost of recording.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/filter_options.h"
#include "cli/stat_summary.h"
#include "cli/table.h"
#include "common/containers.h"
#include "common/strings.h"

#define NONE SYSCAP_PROFILE_NONE

/* Least percentage for which packages are searched. */
#define LEAST_SEARCHED 1.0

static void print_size(uint64_t size)
{
	char text[SYC_SIZE_TEXT];

	syc_size_format((double)size, text, sizeof(text));
	fputs(text, stdout);
}

static void print_heap(const struct syc_stat_hot *hot,
                       const struct syc_stat_summary *summary)
{
	struct syscap_profile_heap heap;

	syscap_profile_heap(hot->profile, &heap);
	if (heap.n_allocations == 0)
		return;
	printf("  allocated  %" PRIu64 " time%s, ", heap.n_allocations,
	       syc_plural(heap.n_allocations));
	print_size(heap.bytes);
	printf("; at most ");
	print_size(heap.peak);
	printf("%s at %+.6f s", heap.is_begin_cut ? " of these" : "",
	       ((double)heap.peak_time - (double)summary->begin) / 1e9);
	printf("%s\n  %s  %" PRIu64 " time%s, ", hot->whole,
	       heap.is_cut ? "not freed" : "leaked   ", heap.n_leaked,
	       syc_plural(heap.n_leaked));
	print_size(heap.leaked);
	printf("%s; temporary %" PRIu64 " time%s, ",
	       heap.is_cut ? " in this part of the recording" : "",
	       heap.n_temporary, syc_plural(heap.n_temporary));
	print_size(heap.temporary);
	puts(hot->whole);
	if (heap.sample_bytes > 0) {
		printf("  sampled    one allocation per ");
		print_size(heap.sample_bytes);
		puts(": bytes are estimates, times count sampled allocations");
	}
}

static double percent(uint64_t part, uint64_t all)
{
	return all > 0 ? 100 * (double)part / (double)all : 0;
}

static bool has_time(const struct syscap_view *view)
{
	return view->unit != SYSCAP_UNIT_TICKS &&
	       view->unit != SYSCAP_UNIT_BYTES;
}

/* ", blocked 3.1 s in 411 calls", through the same filter. */
static int print_blocked(const struct syc_stat_hot *hot)
{
	struct syscap_filter filter = *hot->filter;
	struct syscap_view *view;
	char text[64];
	int r;

	filter.of = SYSCAP_VIEW_BLOCKED;
	r = syscap_view_new(hot->profile, &filter, &view, NULL);
	if (r < 0)
		return r;
	if (view->n_passed > 0) {
		syc_stat_hot_format(view->unit, view->total, text,
		                    sizeof(text));
		printf(", blocked for %s in %" PRIu64 " call%s", text,
		       view->n_passed, view->n_passed == 1 ? "" : "s");
	}
	syscap_view_free(view);
	return 0;
}

/* The time that the filter selects: "2.000 s of 7.422 s". */
static void print_span(const struct syc_stat_summary *summary,
                       const struct syc_stat_hot *hot)
{
	const struct syscap_filter *filter = hot->filter;
	int64_t begin = summary->begin, end = summary->end, duration;
	char text[64];

	printf("  time       ");
	if (filter->has_from && filter->from > begin)
		begin = filter->from;
	if (filter->has_to && filter->to < end)
		end = filter->to;
	if (filter->has_from || filter->has_to) {
		if (end < begin)
			end = begin;
		if (__builtin_sub_overflow(end, begin, &duration))
			duration = INT64_MAX;
		syc_duration_format(duration, text, sizeof(text));
		printf("%s of ", text);
	}
	syc_duration_format(syc_stat_summary_duration(summary), text,
	                    sizeof(text));
	printf("%s%s", text, hot->whole);
}

static int print_time(const struct syc_stat_summary *summary,
                      const struct syc_stat_hot *hot)
{
	const struct syscap_view *view = hot->view;
	char text[64];
	int r = 0;

	print_span(summary, hot);
	if (summary->info.end == 0)
		printf(" (not finished: the header has no end time)");
	if (hot->filter->of == SYSCAP_VIEW_SAMPLES) {
		if (view->total > 0 && has_time(view)) {
			syc_stat_hot_format(view->unit, view->total, text,
			                    sizeof(text));
			printf(": %s of %s", text,
			       syscap_view_unit_name(view->unit));
		}
		r = print_blocked(hot);
	}
	putchar('\n');
	return r;
}

/* A driver of a library often makes code without a name and a file. */
static bool is_of_program(const struct syscap_profile_function *function)
{
	return (function->is_named || function->binary[0] != 0) &&
	       (function->category == SYSCAP_CATEGORY_APPLICATION ||
	        function->category == SYSCAP_CATEGORY_JIT);
}

static void print_function(const struct syc_stat_hot *hot,
                           const struct syscap_view_sum *sum)
{
	const struct syscap_profile_function *function =
		syscap_profile_function(hot->profile, sum->function);
	char name[300];

	syc_stat_hot_name(hot, sum->function, name, sizeof(name));
	syc_printable_write(stdout, name, false);
	if (function->binary[0] != 0) {
		fputs(" (", stdout);
		syc_printable_write(stdout, function->binary, false);
		putchar(')');
	}
	printf(" %.1f %%", percent(sum->self, hot->view->total));
}

/* A smaller share, in percent, would be printed as 0.0 %. */
#define LEAST_SHOWN 0.05

/* The function with the most own time, and the first of the program's own
 * code. */
static void print_hottest(const struct syc_stat_hot *hot)
{
	const struct syscap_view *view = hot->view;
	const struct syscap_view_sum *first = NULL;

	for (size_t i = 0; i < view->n_sums && view->sums[i].self > 0; i++) {
		const struct syscap_profile_function *function =
			syscap_profile_function(hot->profile,
		                                view->sums[i].function);

		if (function->category == SYSCAP_CATEGORY_NOTE)
			continue;
		if (first == NULL) {
			first = &view->sums[i];
			printf("  hottest    ");
			print_function(hot, first);
		}
		if (is_of_program(function)) {
			if (first != &view->sums[i] &&
			    percent(view->sums[i].self, view->total) >=
			            LEAST_SHOWN) {
				printf("; in the program's own code ");
				print_function(hot, &view->sums[i]);
			}
			break;
		}
	}
	if (first != NULL)
		putchar('\n');
}

/* Own time of functions without a name, by binary. */
struct unnamed {
	struct syc_map by_binary; /* texts of the profile, by address */
	SYC_ARRAY(const char *) binaries;
	SYC_ARRAY(uint64_t) sums;
	uint64_t all;
};

static int add_unnamed(struct unnamed *unnamed, const char *binary,
                       uint64_t self)
{
	size_t number;
	const int r = syc_map_put(&unnamed->by_binary, &binary, sizeof(binary),
	                          &number);

	if (r < 0 ||
	    (r > 0 && (syc_array_push(&unnamed->binaries, binary) < 0 ||
	               syc_array_push(&unnamed->sums, 0) < 0)))
		return -ENOMEM;
	unnamed->sums.items[number] += self;
	unnamed->all += self;
	return 0;
}

void syc_stat_packages(const struct syscap_profile *profile,
                       const char *const *binaries, size_t n,
                       char (*ret_names)[SYC_PACKAGE_NAME])
{
	const struct syscap_profile_map *maps;
	const char *paths[SYC_MOST_BINARIES];
	size_t n_maps;

	maps = syscap_profile_maps(profile, &n_maps);
	for (size_t i = 0; i < n; i++) {
		paths[i] = "";
		for (size_t k = 0; k < n_maps && paths[i][0] == 0; k++) {
			const char *slash = strrchr(maps[k].path, '/');

			if (slash != NULL &&
			    strcmp(slash + 1, binaries[i]) == 0)
				paths[i] = maps[k].path;
		}
	}
	syc_packages_find(SYC_PACKAGE_INFO, paths, n, ret_names);
}

static void print_remedy(const struct unnamed *unnamed,
                         const struct syscap_profile *profile, const char *file,
                         uint64_t total)
{
	char package[1][SYC_PACKAGE_NAME] = { "" };
	size_t most = 0;

	for (size_t i = 1; i < unnamed->sums.n; i++)
		if (unnamed->sums.items[i] > unnamed->sums.items[most])
			most = i;
	printf("  no names   for %.1f %%: ", percent(unnamed->all, total));
	if (unnamed->binaries.items[most][0] == 0) {
		puts("most of this code is in no known file, for example "
		     "generated code");
		return;
	}
	if (unnamed->sums.n > 1)
		printf("%.1f %% in ",
		       percent(unnamed->sums.items[most], total));
	else
		printf("in ");
	syc_printable_write(stdout, unnamed->binaries.items[most], false);
	if (unnamed->binaries.items[most][0] == '[') {
		puts(", which is not a file: only a finished recording has its "
		     "names");
		return;
	}
	if (percent(unnamed->sums.items[most], total) >= LEAST_SEARCHED)
		syc_stat_packages(profile, &unnamed->binaries.items[most], 1,
		                  package);
	if (package[0][0] != 0)
		printf("; install %s-dbgsym, then syscap symbolize ",
		       package[0]);
	else
		printf("; install its debug symbols, then syscap symbolize ");
	syc_printable_write(stdout, strcmp(file, "-") == 0 ? "FILE" : file,
	                    false);
	putchar('\n');
}

static int print_names(const struct syc_stat_hot *hot, const char *file)
{
	const struct syscap_view *view = hot->view;
	struct unnamed unnamed = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < view->n_sums; i++) {
		const struct syscap_profile_function *function =
			syscap_profile_function(hot->profile,
		                                view->sums[i].function);

		if (!function->is_named && view->sums[i].self > 0)
			r = add_unnamed(&unnamed, function->binary,
			                view->sums[i].self);
	}
	if (r == 0 && unnamed.all > 0)
		print_remedy(&unnamed, hot->profile, file, view->total);
	syc_map_fini(&unnamed.by_binary);
	free(unnamed.binaries.items);
	free(unnamed.sums.items);
	return r;
}

static void print_lost(const struct syc_stat_summary *summary,
                       const struct syscap_profile *profile, const char *whole)
{
	const struct syc_loss *lost = &summary->losses.sum;
	const char *const why = syscap_profile_incomplete(profile);

	if (why != NULL)
		printf("  incomplete %s%s\n", why, whole);
	if (lost->total == 0 && lost->bytes == 0) {
		if (why == NULL)
			printf("  lost       nothing%s%s\n",
			       summary->info.end == 0 &&
			                       summary->info.merged_bytes == 0
			               ? " known: the recording did not finish"
			               : "",
			       whole);
		return;
	}
	printf("  lost       %" PRIu64 " event%s, ", lost->total,
	       lost->total == 1 ? "" : "s");
	print_size(lost->bytes);
	puts(whole);
}

/* A longer write may delay the program noticeably. */
#define SLOW_WRITE_NS 1000000u

static void print_unsampled(const struct syscap_profile *profile,
                            const char *whole)
{
	struct syscap_profile_unsampled unsampled;
	char text[SYC_UNSAMPLED_TEXT];

	syscap_profile_unsampled(profile, &unsampled);
	syscap_profile_describe_unsampled(&unsampled, text, sizeof(text));
	if (text[0] != 0)
		printf("  unsampled  %s%s\n", text, whole);
}

static void print_slowest_write(const struct syc_slowest_write *slowest,
                                const char *whole)
{
	char text[64];

	if (slowest->ns <= SLOW_WRITE_NS)
		return;
	syc_duration_format((int64_t)slowest->ns, text, sizeof(text));
	printf("  slow write one write of the recording took %s, in thread "
	       "%" PRId32 " of process %" PRId32 "%s\n",
	       text, slowest->tid, slowest->pid, whole);
}

#define CALLERS_MOST 6u

/* Print the functions of the crash's stack, without the name of the signal. */
static void print_crash_stack(const struct syc_stat_hot *hot, uint32_t stack)
{
	char name[300];
	uint32_t functions[CALLERS_MOST + 2];
	const size_t n = syscap_profile_stack_functions(
		hot->profile, stack, functions, CALLERS_MOST + 2);

	for (size_t i = 1; i < n && i <= CALLERS_MOST; i++) {
		fputs(i == 1   ? "             in "
		      : i == 2 ? ", called by "
		               : ", ",
		      stdout);
		syc_stat_hot_name(hot, functions[i], name, sizeof(name));
		syc_printable_write(stdout, name, false);
	}
	if (n > 1)
		puts(n > CALLERS_MOST + 1 ? ", …" : "");
}

static void print_crash(const struct syc_stat_hot *hot)
{
	const struct syscap_profile_crash *crash;
	const struct syscap_profile_thread *thread;
	size_t n, all;

	crash = syscap_profile_crashes(hot->profile, &n);
	if (n == 0)
		return;
	thread = &syscap_profile_threads(hot->profile, &all)[crash->thread];
	printf("  crashed    thread %" PRId32 " of process %" PRId32 ": ",
	       thread->tid,
	       syscap_profile_processes(hot->profile, &all)[thread->process]
	               .pid);
	syc_printable_write(stdout, crash->message, false);
	if (n > 1)
		printf(", and %zu more", n - 1);
	puts(hot->whole);
	print_crash_stack(hot, crash->stack);
}

static void print_part(uint64_t part, uint64_t all, const char *what)
{
	if (part > 0)
		printf(", %.1f %% %s", percent(part, all), what);
}

/* Time without a stack in the table of functions. */
static uint64_t sum_without_stack(const struct syscap_view *view)
{
	for (size_t i = 0; i < view->n_sums; i++)
		if (view->sums[i].function == SYSCAP_FUNCTION_EMPTY)
			return view->sums[i].self;
	return 0;
}

/* Whether the capture has the rate that was requested.  Folded stacks and perf's
 * events have only counts. */
static bool has_rate(const struct syscap_profile *profile)
{
	size_t n;

	syscap_profile_threads(profile, &n);
	for (size_t i = 0; i < n; i++)
		if (syscap_profile_tick(profile, (uint32_t)i) > 1)
			return true;
	return false;
}

static void print_samples(const struct syc_stat_summary *summary,
                          const struct syc_stat_hot *hot)
{
	const struct syc_sample_stats *samples = &summary->samples;

	if (samples->count == 0)
		return;
	printf("  samples    %" PRIu64, samples->count);
	if (samples->weight != samples->count)
		printf(has_rate(hot->profile)
		               ? " instead of %" PRIu64
		                 " requested, so each counts for %.1f on average"
		               : " for %" PRIu64
		                 " ticks, so each counts for %.1f on average",
		       samples->weight,
		       (double)samples->weight / (double)samples->count);
	print_part(samples->cut, samples->count, "too deep to be complete");
	print_part(samples->stopped, samples->count,
	           "end before the outermost function");
	/* Without a filter, the share is that of the table of functions. */
	if (hot->filter->of == SYSCAP_VIEW_SAMPLES && hot->whole[0] == 0)
		print_part(sum_without_stack(hot->view), hot->view->total,
		           "of the time without a stack");
	else
		print_part(samples->without_stack, samples->weight,
		           "of the time without a stack");
	puts(hot->whole);
}

int syc_stat_head_text(const struct syc_stat_summary *summary, const char *file,
                       const struct syc_stat_hot *hot)
{
	char own[SYC_RECORDING_TEXT];

	syc_printable_write(stdout, file, false);
	syc_filter_options_recording(hot->view, hot->filter, own, sizeof(own));
	if (own[0] != 0)
		printf(": %s", own);
	putchar('\n');
	if (print_time(summary, hot) < 0)
		return -ENOMEM;
	print_hottest(hot);
	if (print_names(hot, file) < 0)
		return -ENOMEM;
	print_lost(summary, hot->profile, hot->whole);
	print_unsampled(hot->profile, hot->whole);
	print_crash(hot);
	print_slowest_write(&summary->slowest, hot->whole);
	printf("  recorded   ");
	syc_printable_write(stdout, summary->info.capture_time, false);
	printf(", %" PRIu64 " frame%s in ", summary->n_frames,
	       syc_plural(summary->n_frames));
	print_size(summary->info.size);
	if (summary->n_damaged > 0)
		printf(", and %" PRIu64 " damaged", summary->n_damaged);
	puts(hot->whole);
	print_samples(summary, hot);
	print_heap(hot, summary);
	return 0;
}
