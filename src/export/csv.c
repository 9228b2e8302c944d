/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * csv.c - tables as RFC 4180 has them, for sqlite, DuckDB, spreadsheets: of
 * samples and functions.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "export/amount.h"
#include "export/csv_row.h"
#include "export/export.h"
#include "export/folded.h"
#include "export/frames.h"

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

int syc_export_csv_samples(struct syc_export *export)
{
	const struct syscap_view *view = export->view;
	struct syscap_profile_samples samples;
	const bool is_time = syc_amount_is_time(view->unit);
	FILE *out = export->out;
	struct syc_folded folded;
	int r = syc_folded_init(&folded, export->profile, true);

	syscap_profile_samples(export->profile, &samples);
	fprintf(out, "time_ns,pid,tid,weight_%s,function,file,line,stack\r\n",
	        unit_column(view));
	for (size_t i = 0; r == 0 && i < samples.n; i++) {
		const uint32_t node = view->nodes[samples.stacks[i]];
		const uint64_t tick =
			is_time ? syscap_profile_tick(export->profile,
		                                      samples.threads[i])
				: 1;

		if ((view->passed[i / 64] >> (i % 64) & 1) == 0)
			continue;
		syc_csv_integer(out, samples.times[i], ",");
		syc_csv_thread(export, samples.threads[i]);
		write_weight(out, samples.ticks[i] * tick);
		syc_csv_text(out, syscap_profile_function(export->profile,
		                                          view->functions[node])
		                          ->name);
		putc_unlocked(',', out);
		write_line(out, syc_line_of_node(export->profile, view, node));
		putc_unlocked('"', out);
		r = syc_folded_stack(&folded, out, view, node);
		fputs_unlocked("\"\r\n", out);
	}
	syc_folded_fini(&folded);
	return r;
}
