/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_answers.c - the commands' queries on any bytes that may be a capture.
 *
 * The size of the input selects the filter and the output format.  For any
 * input, the sums of a view equal those of its tree.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/export.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct syscap_filter filters[] = {
	{ .by_line = true },
	{ .reverse = true, .by_line = true },
	{ .of = SYSCAP_VIEW_ALLOCATED },
	{ .of = SYSCAP_VIEW_LEAKED, .reverse = true },
	{ .of = SYSCAP_VIEW_TEMPORARY },
	{ .of = SYSCAP_VIEW_PEAK },
	{ .of = SYSCAP_VIEW_BLOCKED },
	{ .of = SYSCAP_VIEW_STALLED },
	{ .slowest = 2 },
	{ .slowest_percent = 50, .longer_than = 5 },
	{ .has_from = true, .from = 1500, .has_to = true, .to = 100000 },
	{ .hide_system = true, .collapse_recursion = true },
	{ .focus = "[a-m]", .collapse_library = "*", .no_inlines = true },
	{ .drop = "a", .pid = 7 },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void demand(bool condition)
{
	if (!condition)
		abort();
}

static void check_view(const struct syscap_view *view)
{
	uint64_t selfs = 0, functions = 0;

	for (size_t i = 0; i < view->n_nodes; i++) {
		demand(i == 0 || view->parents[i] < i);
		selfs += view->selfs[i];
	}
	for (size_t i = 0; i < view->n_sums; i++)
		functions += view->sums[i].self;
	/* Sums of large times may overflow, on both sides alike */
	demand(selfs == view->total && functions == view->total);
	demand(view->totals[0] == view->total);
}

static void write_out(struct syc_export *export, size_t choice)
{
	const struct syc_flamegraph graph = { .profile = export->profile,
		                              .view = export->view,
		                              .title = "fuzz",
		                              .filter = "" };
	const enum syscap_view_of of = export->filter->of;
	size_t n_formats = 0;

	while (syc_export_formats[n_formats].name != NULL)
		n_formats++;
	const size_t format = choice % (n_formats + 1);

	export->out = fopen("/dev/null", "w");
	demand(export->out != NULL);
	/* Data other than samples has only sums */
	if (format == n_formats)
		demand(syc_flamegraph_write(&graph, export->out) == 0);
	else if (of == SYSCAP_VIEW_SAMPLES)
		demand(syc_export_formats[format].write(export) == 0);
	else
		demand(syc_export_folded(export) == 0 &&
		       syc_export_callgrind(export) == 0 &&
		       syc_export_csv_functions(export) == 0);
	fclose(export->out);
}

static void ask(struct syscap_reader *reader, struct syscap_profile *profile,
                size_t choice)
{
	const struct syscap_filter *filter = &filters[choice % COUNT(filters)];
	const struct syscap_filter all = { .of = SYSCAP_VIEW_ALLOCATED };
	struct syscap_view *view, *heap;
	struct syscap_error error;
	int r = syscap_view_new(profile, filter, &view, &error);

	demand(r == 0 || r == -EINVAL);
	if (r < 0)
		return;
	check_view(view);
	demand(syscap_view_new(profile, &all, &heap, &error) == 0);
	check_view(heap);
	write_out(&(struct syc_export){ .profile = profile,
	                                .view = view,
	                                .heap = heap,
	                                .filter = filter,
	                                .reader = reader,
	                                .name = "fuzz",
	                                .note = "" },
	          choice / COUNT(filters));
	syscap_view_free(heap);
	syscap_view_free(view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct syscap_profile_options options = { .no_lookup = true };
	struct syscap_profile *profile;
	struct syscap_reader *reader;
	struct syscap_error error;
	int r;

	if (syscap_reader_open_memory(data, size, &reader, &error) < 0)
		return 0;
	demand(syscap_profile_new(&options, &profile) == 0);
	r = syscap_profile_read(profile, reader, &error);
	demand(r == 0 || r == -EBADMSG);
	demand(syscap_profile_settle(profile) == 0);
	ask(reader, profile, size / 8);
	syscap_profile_free(profile);
	syscap_reader_close(reader);
	return 0;
}
