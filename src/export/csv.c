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
#include "export/ways.h"

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

struct table {
	struct syc_export *export;
	struct syscap_profile_samples samples;
	struct syc_ways ways;
	struct syc_folded folded;
	struct ready ready;
};

/* Of the sample @i, whose stack is the @k-th that was walked. */
static int write_sample(struct table *table, size_t i, size_t k)
{
	struct syc_export *export = table->export;
	const struct syscap_view *view = export->view;
	const struct syscap_profile_samples *samples = &table->samples;
	const uint32_t *path = syc_ways_get(&table->ways, k);
	const uint32_t thread = samples->threads[i];
	const uint64_t tick =
		syc_amount_is_time(view->unit)
			? syscap_profile_tick(export->profile, thread)
			: 1;
	int r;

	syc_csv_integer(export->out, samples->times[i], ",");
	syc_csv_thread(export, thread);
	write_weight(export->out, samples->ticks[i] * tick);
	write_ready(&table->ready, view->functions[path[0]], export->out);
	putc_unlocked(',', export->out);
	write_line(export->out,
	           syc_line_of_node(export->profile, view, path[0]));
	putc_unlocked('"', export->out);
	r = syc_folded_path(&table->folded, export->out, view, path,
	                    table->ways.lens[k]);
	fputs_unlocked("\"\r\n", export->out);
	return r;
}

static int write_some(struct table *table, const uint32_t *numbers, size_t n)
{
	struct syc_ways *ways = &table->ways;
	int r = 0;

	syc_ways_walk(ways, numbers, n);
	for (size_t k = 0; k < n; k++)
		syc_folded_fetch(&table->folded, ways->view,
		                 syc_ways_get(ways, k), ways->lens[k]);
	for (size_t k = 0; r == 0 && k < n; k++)
		r = write_sample(table, numbers[k], k);
	return r;
}

static int write_samples(struct table *table)
{
	const struct syscap_view *view = table->export->view;
	uint32_t numbers[SYC_WAYS];
	size_t n = 0;
	int r = 0;

	fprintf(table->export->out,
	        "time_ns,pid,tid,weight_%s,function,file,line,stack\r\n",
	        unit_column(view));
	for (size_t i = 0; r == 0 && i < table->samples.n; i++) {
		if ((view->passed[i / 64] >> (i % 64) & 1) == 0)
			continue;
		numbers[n++] = (uint32_t)i;
		if (n == SYC_WAYS) {
			r = write_some(table, numbers, n);
			n = 0;
		}
	}
	return r == 0 ? write_some(table, numbers, n) : r;
}

int syc_export_csv_samples(struct syc_export *export)
{
	struct table table = { .export = export };
	int r = syc_folded_init(&table.folded, export->profile, true);

	syscap_profile_samples(export->profile, &table.samples);
	if (r == 0)
		r = syc_ways_init(&table.ways, export->view, &table.samples);
	if (r == 0)
		r = make_ready(&table.ready, export->profile);
	if (r == 0)
		r = write_samples(&table);
	syc_ways_fini(&table.ways);
	syc_folded_fini(&table.folded);
	free(table.ready.begins);
	free(table.ready.texts);
	return r;
}
