/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * csv.c - tables as RFC 4180 has them, for sqlite, DuckDB, spreadsheets: of
 * samples and functions.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/amount.h"
#include "export/csv_row.h"
#include "export/export.h"
#include "export/folded.h"
#include "export/frames.h"

#define AHEAD 8u

static const char *category_name(enum syscap_profile_category category)
{
	static const char *const names[] = {
		[SYSCAP_CATEGORY_APPLICATION] = "application",
		[SYSCAP_CATEGORY_SYSTEM] = "system",
		[SYSCAP_CATEGORY_JIT] = "jit",
		[SYSCAP_CATEGORY_KERNEL] = "kernel",
		[SYSCAP_CATEGORY_NOTE] = "note",
	};

	return names[category];
}

static const char *unit_column(const struct syscap_view *view)
{
	if (view->unit == SYSCAP_UNIT_BYTES)
		return "bytes";
	return syc_amount_is_time(view->unit) ? "ns" : "ticks";
}

int syc_export_csv_functions(struct syc_export *export)
{
	const struct syscap_view *view = export->view;
	FILE *out = export->out;

	fprintf(out, "function,binary,category,is_inlined,self_%s,total_%s\r\n",
	        unit_column(view), unit_column(view));
	for (size_t i = 0; i < view->n_sums; i++) {
		const struct syscap_profile_function *function =
			syscap_profile_function(export->profile,
		                                view->sums[i].function);

		syc_csv_text(out, function->name);
		putc_unlocked(',', out);
		syc_csv_text(out, function->binary);
		fprintf(out, ",%s,%d,%" PRIu64 ",%" PRIu64 "\r\n",
		        category_name(function->category), function->is_inlined,
		        view->sums[i].self, view->sums[i].total);
	}
	return 0;
}

static void write_weight(FILE *out, uint64_t weight)
{
	if (weight > INT64_MAX)
		fprintf(out, "%" PRIu64 ",", weight);
	else
		syc_csv_integer(out, (int64_t)weight, ",");
}

static void write_line(FILE *out, const struct syscap_profile_line *line)
{
	if (line != NULL)
		syc_csv_text(out, line->file);
	putc_unlocked(',', out);
	if (line != NULL && line->line != 0)
		syc_csv_integer(out, line->line, "");
	putc_unlocked(',', out);
}

/* Names of functions as they stand in a row, made ready once: there are far
 * more samples than functions. */
struct ready {
	char *texts;
	size_t *begins, size;
};

static int make_ready(struct ready *ready, const struct syscap_profile *profile)
{
	const struct syscap_profile_function *functions;
	FILE *texts = open_memstream(&ready->texts, &ready->size);
	size_t n;

	functions = syscap_profile_functions(profile, &n);
	ready->begins = calloc(n + 1, sizeof(*ready->begins));
	for (size_t i = 0; texts != NULL && ready->begins != NULL && i < n;
	     i++) {
		syc_csv_text(texts, functions[i].name);
		ready->begins[i + 1] = (size_t)ftello(texts);
	}
	if (texts == NULL || fclose(texts) != 0)
		return -ENOMEM;
	return ready->begins != NULL ? 0 : -ENOMEM;
}

static void write_ready(const struct ready *ready, uint32_t function, FILE *out)
{
	const size_t *begin = &ready->begins[function];

	fwrite_unlocked(ready->texts + begin[0], 1, begin[1] - begin[0], out);
}

static int write_sample(struct syc_export *export,
                        const struct syscap_profile_samples *samples, size_t i,
                        struct syc_folded *folded, const struct ready *ready)
{
	const struct syscap_view *view = export->view;
	const uint32_t node = view->nodes[samples->stacks[i]];
	const uint32_t thread = samples->threads[i];
	const uint64_t tick =
		syc_amount_is_time(view->unit)
			? syscap_profile_tick(export->profile, thread)
			: 1;
	int r;

	syc_csv_integer(export->out, samples->times[i], ",");
	syc_csv_thread(export, thread);
	write_weight(export->out, samples->ticks[i] * tick);
	write_ready(ready, view->functions[node], export->out);
	putc_unlocked(',', export->out);
	write_line(export->out, syc_line_of_node(export->profile, view, node));
	putc_unlocked('"', export->out);
	r = syc_folded_stack(folded, export->out, view, node);
	fputs_unlocked("\"\r\n", export->out);
	return r;
}

/* Where a sample's stack is in memory nobody can guess: it is fetched while
 * those before it are written. */
static void fetch(const struct syscap_view *view,
                  const struct syscap_profile_samples *samples, size_t i)
{
	if (i + 2 * AHEAD >= samples->n)
		return;
	__builtin_prefetch(&view->nodes[samples->stacks[i + 2 * AHEAD]]);

	const uint32_t node = view->nodes[samples->stacks[i + AHEAD]];
	if (node == SYSCAP_PROFILE_NONE)
		return;
	__builtin_prefetch(&view->parents[node]);
	__builtin_prefetch(&view->functions[node]);
}

int syc_export_csv_samples(struct syc_export *export)
{
	const struct syscap_view *view = export->view;
	struct syscap_profile_samples samples;
	struct ready ready = { 0 };
	struct syc_folded folded;
	int r = syc_folded_init(&folded, export->profile, true);

	if (r == 0)
		r = make_ready(&ready, export->profile);
	syscap_profile_samples(export->profile, &samples);
	fprintf(export->out,
	        "time_ns,pid,tid,weight_%s,function,file,line,stack\r\n",
	        unit_column(view));
	for (size_t i = 0; r == 0 && i < samples.n; i++) {
		fetch(view, &samples, i);
		if ((view->passed[i / 64] >> (i % 64) & 1) != 0)
			r = write_sample(export, &samples, i, &folded, &ready);
	}
	syc_folded_fini(&folded);
	free(ready.begins);
	free(ready.texts);
	return r;
}
