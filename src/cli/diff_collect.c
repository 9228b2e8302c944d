/* SPDX-License-Identifier: BSD-2-Clause */
/* diff_collect.c - take what is to be compared from the captures. */
#include "cli/diff_collect.h"

#include <stdio.h>

#include "cli/exit_status.h"
#include "cli/fault.h"
#include "cli/filter_options.h"
#include "cli/missing.h"
#include "cli/question.h"
#include "compare/observe.h"

/* Of the only run of a side: enough to tell how they spread, few enough to
 * have many events each. */
#define BLOCKS 10

/* One file, looked at as a whole; and where its units begin. */
struct run {
	struct syc_diff_collect *collect;
	struct syc_question question;
	size_t unit, n_units;
};

static bool note_unit(struct run *run)
{
	struct syc_diff_collect *collect = run->collect;
	struct syc_diff_report *report = collect->report;
	const struct syscap_view *view = run->question.view;
	const char *file = run->question.file;

	if (view->total == 0) {
		if (collect->bare == NULL)
			collect->bare = file;
		return true;
	}
	if (collect->sampled == NULL) {
		collect->sampled = file;
		report->unit = view->unit;
	}
	if (report->unit == view->unit)
		return true;
	fprintf(stderr, "%s: %s counts %s, and %s %s\n", collect->command,
	        collect->sampled, syscap_view_unit_name(report->unit), file,
	        syscap_view_unit_name(view->unit));
	return false;
}

static int observe(struct run *run, const struct syscap_filter *filter,
                   const struct syscap_view *view, size_t unit)
{
	const struct syc_diff_report *report = run->collect->report;
	const double scale = (double)run->n_units;
	const struct syc_observed observed = {
		.comparison = &run->collect->report->comparison,
		.profile = run->question.profile,
		.filter = filter,
		.unit = unit,
		.scale = scale,
	};
	const struct syc_observe_functions how = {
		.total = report->total,
		.by_share = report->by_share,
		.whole = (double)run->question.view->total,
	};
	struct syscap_error error;
	int r = syc_observe_functions(&observed, view, &how);

	return r < 0 ? r : syc_observe_marks(&observed, &error);
}

/* From when to when block @i is; the first and the last are open. */
static struct syscap_filter block_of(const struct run *run, size_t i)
{
	struct syscap_filter filter = run->question.filter;
	struct syscap_profile_span span;
	int64_t begin, end;
	uint64_t length;

	syscap_profile_span(run->question.profile, &span);
	begin = filter.has_from ? filter.from : span.begin;
	end = filter.has_to && filter.to < span.end ? filter.to : span.end;
	/* Unsigned: a file may say that it goes from the lowest time on. */
	length = end > begin ? ((uint64_t)end - (uint64_t)begin) / BLOCKS : 0;
	if (i > 0) {
		filter.has_from = true;
		filter.from = (int64_t)((uint64_t)begin + i * length);
	}
	if (i + 1 < BLOCKS) {
		filter.has_to = true;
		filter.to = (int64_t)((uint64_t)begin + (i + 1) * length);
	}
	return filter;
}

static int observe_blocks(struct run *run)
{
	struct syscap_error error;
	int r = 0;

	for (size_t i = 0; r == 0 && i < BLOCKS; i++) {
		const struct syscap_filter filter = block_of(run, i);
		struct syscap_view *view;

		r = syscap_view_new(run->question.profile, &filter, &view,
		                    &error);
		if (r < 0)
			return r;
		r = observe(run, &filter, view, run->unit + i);
		syscap_view_free(view);
	}
	return r;
}

static int take_in(struct run *run)
{
	struct syc_question *question = &run->question;
	int r;

	if (!note_unit(run))
		run->collect->has_functions = false;
	r = run->n_units > 1 ? observe_blocks(run)
	                     : observe(run, &question->filter, question->view,
	                               run->unit);
	if (r == 0)
		r = syc_observe_counters(
			&(struct syc_observed){
				.comparison = &run->collect->report->comparison,
				.profile = question->profile,
				.filter = &question->filter,
				.unit = run->unit,
				.scale = 1,
			},
			question->view, question->reader);
	return r;
}

/* After @n_units: names that none of all files has. */
static void judge_names(struct syc_diff_collect *collect,
                        struct syc_question *question, size_t n_units)
{
	const size_t *all = collect->report->comparison.n_units;

	collect->found |= ~question->missing;
	if (n_units < all[0] + all[1] ||
	    (~collect->found & question->missing) == 0)
		return;
	syc_missing_tell(question->command, question->file, question->profile,
	                 &collect->filter->filter,
	                 ~collect->found & question->missing);
	question->status = SYC_EXIT_PROBLEM;
}

static int collect_file(struct syc_diff_collect *collect, const char *file,
                        size_t unit, size_t n_units)
{
	struct run run = {
		.collect = collect,
		.question = { .command = collect->command,
		              .file = file,
		              .is_one_of_many = true },
		.unit = unit,
		.n_units = n_units,
	};
	int r = -EINVAL;

	if (syc_question_ask(&run.question, &collect->options,
	                     &collect->filter->filter))
		r = take_in(&run);
	if (r == 0)
		judge_names(collect, &run.question, unit + n_units);
	if (run.question.status != SYC_EXIT_DONE)
		collect->is_partial = true;
	syc_question_close(&run.question);
	return r;
}

/* Functions need samples on every side. */
static void judge_samples(struct syc_diff_collect *collect)
{
	if (collect->sampled == NULL)
		collect->has_functions = false;
	if (collect->sampled != NULL && collect->bare != NULL) {
		fprintf(stderr, "%s: %s has %s%s, and %s has none\n",
		        collect->command, collect->sampled,
		        syc_filter_options_of(collect->filter->filter.of),
		        collect->filter->is_any ? " that pass the filter" : "",
		        collect->bare);
		collect->has_functions = false;
	}
	if (!collect->has_functions && collect->sampled != NULL) {
		fprintf(stderr, "%s: functions are not compared\n",
		        collect->command);
		collect->is_partial = true;
	}
	collect->report->has_unit = collect->has_functions;
}

int syc_diff_collect(struct syc_diff_collect *collect)
{
	struct syc_diff_report *report = collect->report;
	size_t unit = 0;
	size_t each;

	report->has_blocks = report->n_files[0] == 1 && report->n_files[1] == 1;
	each = report->has_blocks ? BLOCKS : 1;
	for (unsigned side = 0; side < 2; side++)
		report->comparison.n_units[side] = report->n_files[side] * each;
	collect->has_functions = true;
	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; i < report->n_files[side]; i++) {
			const int r = collect_file(
				collect, report->files[side][i], unit, each);

			if (r < 0)
				return r;
			unit += each;
		}
	judge_samples(collect);
	return 0;
}
