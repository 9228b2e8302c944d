/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_text.c - text output of `syscap stat`: tables, and the call tree as an
 * indented list.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/filter_options.h"
#include "cli/stat_summary.h"
#include "cli/table.h"
#include "common/containers.h"
#include "common/strings.h"
#include "profile/model.h"
#include "profile/tree.h"

/* Deeper levels are not indented further; a number shows the level. */
#define MOST_INDENT 32u

struct tree {
	const struct syc_stat_hot *hot;
	struct syc_group callees; /* callees of each node, the largest first */
	uint64_t least;
};

static int compare(const void *left, const void *right, void *data)
{
	const struct syc_callees_order *order = data;
	const uint32_t a = *(const uint32_t *)left;
	const uint32_t b = *(const uint32_t *)right;
	const uint64_t *const totals = order->view->totals;

	if (totals[a] != totals[b])
		return totals[a] > totals[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void print_node(const struct tree *tree, uint32_t node, unsigned indent)
{
	const struct syscap_view *view = tree->hot->view;
	const struct syscap_profile_function *function =
		syscap_profile_function(tree->hot->profile,
	                                view->functions[node]);
	char total[64], self[64] = "", name[300];

	syc_stat_hot_format(view->unit, view->totals[node], total,
	                    sizeof(total));
	/* In a reversed tree, stacks end at their outermost function */
	if (view->selfs[node] > 0 && !tree->hot->filter->reverse)
		syc_stat_hot_format(view->unit, view->selfs[node], self,
		                    sizeof(self));
	syc_stat_hot_name(tree->hot, view->functions[node], name, sizeof(name));
	printf("  %12s  %5.1f %%  %12s  %*s", total,
	       100 * (double)view->totals[node] / (double)view->total, self,
	       (int)(indent < MOST_INDENT ? indent : MOST_INDENT), "");
	syc_printable_write(stdout, name, false);
	if (function->binary[0] != 0) {
		fputs("  (", stdout);
		syc_printable_write(stdout, function->binary, false);
		putchar(')');
	}
	putchar('\n');
}

/*
 * Print children before siblings, without recursion, since stacks can be deep.
 */
static int print_all(const struct tree *tree)
{
	const struct syscap_view *const view = tree->hot->view;
	const struct syc_group *const callees = &tree->callees;
	struct {
		uint32_t at, end;
		unsigned indent;
	} * open, *top;
	size_t depth = 1;

	open = calloc(view->n_nodes + 1, sizeof(*open));
	if (open == NULL)
		return -ENOMEM;
	open[0].at = callees->begins[0];
	open[0].end = callees->begins[1];
	while (depth > 0) {
		top = &open[depth - 1];
		const uint32_t node =
			top->at < top->end ? callees->rows[top->at++] : 0;
		if (node == 0 || view->totals[node] < tree->least) {
			depth--;
			continue;
		}
		print_node(tree, node, top->indent);
		open[depth].at = callees->begins[node];
		open[depth].end = callees->begins[node + 1];
		open[depth].indent = top->indent + 1;
		depth++;
	}
	free(open);
	return 0;
}

static int stat_tree_text(const struct syc_stat_hot *hot)
{
	struct tree tree = {
		.hot = hot,
		.least = (uint64_t)((double)hot->view->total *
		                    hot->min_percent / 100),
	};
	const struct syc_callees_order order = { hot->profile, hot->view };
	int r;

	syc_table_heading(stdout, "Call tree, nodes with %.3g %% or more",
	                  hot->min_percent);
	printf("  %12s  %7s  %12s  function\n", "total", "",
	       hot->filter->reverse ? "" : "self");
	r = syc_callees_init(&tree.callees, &order, compare);
	if (r == 0)
		r = print_all(&tree);
	syc_group_fini(&tree.callees);
	return r;
}

#define N_COLUMNS(columns) (sizeof(columns) / sizeof((columns)[0]))

static int print_frames(const struct syc_stat_summary *summary,
                        const char *whole)
{
	static const struct syc_table_column columns[] = {
		{ "type", false },
		{ "count", true },
	};
	struct syc_table table;

	if (summary->n_frames == 0)
		return 0;
	syc_table_heading(stdout, "Frames%s", whole);
	syc_table_init(&table, columns, N_COLUMNS(columns));
	for (unsigned i = 1; i <= SYSCAP_FRAME_LAST; i++) {
		const uint8_t type = (uint8_t)(i % SYSCAP_FRAME_LAST);

		if (summary->frames[type] == 0)
			continue;
		syc_table_add(&table, "%s",
		              type ? syscap_frame_type_name(type) : "unknown");
		syc_table_add(&table, "%" PRIu64, summary->frames[type]);
	}
	return syc_table_finish(&table, 0, 0);
}

static int print_lost(const struct syc_stat_summary *summary, size_t most,
                      const char *whole)
{
	static const struct syc_table_column columns[] = {
		{ "pid", true },   { "tid", true },  { "frames", true },
		{ "bytes", true }, { "from", true }, { "to", true },
	};
	const struct syc_loss_stats *losses = &summary->losses;
	struct syc_table table;

	if (losses->threads.n == 0)
		return 0;
	syc_table_heading(stdout, "Lost frames%s", whole);
	syc_table_init(&table, columns, N_COLUMNS(columns));
	for (size_t i = 0; i < losses->threads.n && i < most; i++) {
		const struct syc_thread_loss *thread =
			&losses->threads.items[i];
		const double begin = (double)summary->begin;
		char size[SYC_SIZE_TEXT];

		syc_size_format((double)thread->bytes, size, sizeof(size));
		syc_table_add(&table, "%" PRId32, thread->pid);
		if (thread->tid < 0)
			syc_table_add(&table, "-");
		else
			syc_table_add(&table, "%" PRId32, thread->tid);
		syc_table_add(&table, "%" PRIu64, thread->frames);
		syc_table_add(&table, "%s", size);
		syc_table_add(&table, "%+.6f s",
		              ((double)thread->from - begin) / 1e9);
		syc_table_add(&table, "%+.6f s",
		              ((double)thread->to - begin) / 1e9);
	}

	const int r = syc_table_finish(&table, losses->threads.n, most);
	printf("  by type:");
	for (unsigned type = 0; type < SYSCAP_FRAME_LAST; type++)
		if (losses->sum.frames[type])
			printf(" %s %" PRIu64, syc_loss_record_kind(type),
			       losses->sum.frames[type]);
	putchar('\n');
	return r;
}

static void add_value(struct syc_table *table, bool is_double, int64_t integer,
                      double number, bool is_bytes)
{
	char text[SYC_SIZE_TEXT];

	const double value = is_double ? number : (double)integer;

	if (is_bytes && isfinite(value) && value >= 0) {
		syc_size_format(value, text, sizeof(text));
		syc_table_add(table, "%s", text);
	} else if (!is_double)
		syc_table_add(table, "%" PRId64, integer);
	else if (isfinite(number))
		syc_table_add(table, "%.6g", number);
	else
		syc_table_add(table, "-");
}

static void add_values(struct syc_table *table, bool is_double,
                       const struct syc_counter_values *values, bool is_bytes)
{
	double last;

	if (values->count == 0) {
		for (unsigned i = 0; i < 3; i++)
			syc_table_add(table, "-");
		return;
	}
	memcpy(&last, &values->last, sizeof(last));
	add_value(table, is_double, (int64_t)values->last, last, is_bytes);
	add_value(table, is_double, values->min_i64, values->min_f64, is_bytes);
	add_value(table, is_double, values->max_i64, values->max_f64, is_bytes);
}

static void add_rate(struct syc_table *table, double rate, bool is_bytes)
{
	char text[SYC_SIZE_TEXT];

	if (isnan(rate)) {
		syc_table_add(table, "-");
	} else if (is_bytes) {
		syc_size_format(rate, text, sizeof(text));
		syc_table_add(table, "%s/s", text);
	} else {
		syc_table_add(table, "%.4g/s", rate);
	}
}

static bool is_constant(const struct syc_counter *counter)
{
	const struct syc_counter_values *values = &counter->values;

	if (counter->definition != NULL && counter->definition->info.is_double)
		return values->count == 0 ||
		       !(values->min_f64 < values->max_f64);
	return values->count == 0 || values->min_i64 == values->max_i64;
}

static void add_counter(struct syc_table *table,
                        const struct syc_counter *counter, bool has_rates)
{
	const struct syscap_counter_info *info =
		counter->definition ? &counter->definition->info : NULL;
	const bool is_double = info && info->is_double;
	const bool is_bytes =
		info && syc_counter_is_bytes(info->category, info->name,
	                                     info->description);

	syc_table_add_text(table, info ? info->category : NULL);
	syc_table_add_text(table, info ? info->name : NULL);
	syc_table_add(table, "%" PRId32, counter->values.pid);
	syc_table_add(table, "%" PRIu32, counter->values.id);
	syc_table_add(table, "%s", is_double ? "double" : "int64");
	syc_table_add(table, "%" PRIu64, counter->values.count);
	add_values(table, is_double, &counter->values, is_bytes);
	if (has_rates)
		add_rate(table, syc_counter_rate(counter), is_bytes);
}

/* Counters that change come first, unless @sort is an order by name. */
static int print_counters(const struct syc_counter_stats *counters,
                          enum syc_stat_sort sort, size_t most)
{
	static const struct syc_table_column columns[] = {
		{ "category", false }, { "name", false }, { "pid", true },
		{ "id", true },        { "type", false }, { "count", true },
		{ "last", true },      { "min", true },   { "max", true },
		{ "rate", true },
	};
	const bool is_split = sort != SYC_STAT_SORT_NAME;
	struct syc_table table;
	bool has_rates = false;
	size_t n = 0;

	if (counters->result.n == 0)
		return 0;
	for (size_t i = 0; i < counters->result.n; i++)
		has_rates |=
			!isnan(syc_counter_rate(&counters->result.items[i]));
	syc_table_heading(stdout, "Counters");
	syc_table_init(&table, columns,
	               N_COLUMNS(columns) - (has_rates ? 0 : 1));
	for (unsigned turn = 0; turn < (is_split ? 2 : 1); turn++)
		for (size_t i = 0; i < counters->result.n && n < most; i++) {
			const struct syc_counter *counter =
				&counters->result.items[i];

			if (is_split && is_constant(counter) != (turn == 1))
				continue;
			add_counter(&table, counter, has_rates);
			n++;
		}
	return syc_table_finish(&table, counters->result.n, most);
}

static int print_logs(const struct syc_stat_summary *summary)
{
	static const struct syc_table_column columns[] = {
		{ "severity", false },
		{ "count", true },
	};
	struct syc_table table;
	uint64_t n = 0;

	for (unsigned i = 0; i < SYC_SEVERITIES; i++)
		n += summary->logs[i];
	if (n == 0)
		return 0;
	syc_table_heading(stdout, "Logs");
	syc_table_init(&table, columns, N_COLUMNS(columns));
	for (unsigned i = 0; i < SYC_SEVERITIES; i++) {
		if (summary->logs[i] == 0)
			continue;
		syc_table_add(&table, "%s", syc_severity_name(i));
		syc_table_add(&table, "%" PRIu64, summary->logs[i]);
	}
	return syc_table_finish(&table, 0, 0);
}

static void print_no_stacks(enum syscap_view_of of,
                            const struct syscap_profile *profile)
{
	const char *const amounts = syscap_view_of_name(of, 0);

	if (syc_processes_was_recorded(&profile->processes, of))
		printf("\nThere are no %s.\n", amounts);
	else
		printf("\nThe capture has no %s; record with %s.\n", amounts,
		       syc_filter_options_record(of));
}

/* Print functions and stacks first, since time is the most common question. */
static int print_hot(const struct syc_stat_hot *hot)
{
	const struct syscap_view *view = hot->view;
	int r = 0;

	if (view->n_looked > 0)
		r = syc_stat_hot_text(hot);
	else if (hot->is_filtered || hot->tree || hot->threads || hot->lines)
		print_no_stacks(hot->filter->of, hot->profile);
	if (r == 0 && hot->lines && view->total > 0)
		r = syc_stat_lines_text(hot);
	return r == 0 && hot->tree && view->total > 0 ? stat_tree_text(hot) : r;
}

int syc_stat_text(const struct syc_stat_summary *summary, const char *file,
                  const struct syc_stat_hot *hot, bool all)
{
	const size_t most = hot->n_rows;

	if (syc_stat_head_text(summary, file, hot) < 0 || print_hot(hot) < 0 ||
	    syc_stat_processes_text(hot, &summary->processes, most) < 0)
		return -ENOMEM;
	/* If the capture has samples, other sections are more important. */
	if ((all || summary->samples.count == 0) &&
	    print_frames(summary, hot->whole) < 0)
		return -ENOMEM;
	if (print_lost(summary, most, hot->whole) < 0 ||
	    syc_stat_slowest_text(hot) < 0 ||
	    syc_mark_stats_print(&summary->marks, most) < 0 ||
	    print_counters(&summary->counters, hot->sort, most) < 0 ||
	    print_logs(summary) < 0)
		return -ENOMEM;
	return 0;
}
