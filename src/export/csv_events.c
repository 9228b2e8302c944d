/* SPDX-License-Identifier: BSD-2-Clause */
/* csv_events.c - tables of marks, counters, logs, allocations, losses. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "data/json.h"
#include "data/severity.h"
#include "export/csv_row.h"
#include "export/folded.h"

static bool has(const struct syc_export *export, uint32_t thread, int64_t time)
{
	return syscap_view_has(export->view, thread, time);
}

static int write_message(struct syc_export *export, uint64_t offset)
{
	const char *message =
		syscap_profile_message(export->profile, export->reader, offset);

	if (message == NULL)
		return -ENOMEM;
	syc_csv_text(export->out, message);
	fputs("\r\n", export->out);
	return 0;
}

static int write_text(struct syscap_profile *profile, const char *text,
                      const char *behind, FILE *out)
{
	const char *shown = syscap_profile_clean(profile, text);

	if (shown == NULL)
		return -ENOMEM;
	syc_csv_text(out, shown);
	fputs(behind, out);
	return 0;
}

static int write_mark(const struct syc_export *export,
                      struct syscap_profile *second,
                      const struct syscap_frame *frame)
{
	const int64_t duration = frame->mark.duration;
	FILE *out = export->out;
	int r;

	syc_csv_integer(out, frame->time, ",");
	syc_csv_integer(out, duration > 0 ? duration : 0, ",");
	syc_csv_thread(export, syscap_profile_latest_thread(second));
	r = write_text(second, frame->mark.group, ",", out);
	if (r == 0)
		r = write_text(second, frame->mark.name, ",", out);
	return r == 0 ? write_text(second, frame->mark.message, "\r\n", out)
	              : r;
}

/* What the second walk has come to; a loss record is no mark. */
static int take_frame(const struct syc_export *export,
                      struct syscap_profile *second,
                      const struct syscap_frame *frame)
{
	size_t before, losses;
	int r;

	syscap_profile_losses(second, &before);
	r = syscap_profile_add(second, export->reader, frame);
	if (r < 0 || frame->type != SYSCAP_FRAME_MARK)
		return r;
	syscap_profile_losses(second, &losses);
	if (losses != before ||
	    !has(export, syscap_profile_latest_thread(second), frame->time))
		return 0;
	return write_mark(export, second, frame);
}

/*
 * Rows are in the order of the file: a second walk over it writes them, and no
 * mark is kept.
 */
int syc_export_csv_marks(struct syc_export *export)
{
	const struct syscap_profile_options options = {
		.parts = SYSCAP_PROFILE_THREADS,
		.no_lookup = true,
	};
	struct syscap_profile *second;
	struct syscap_frame frame;
	int r = syscap_profile_new(&options, &second);

	if (r < 0)
		return r;
	fputs("time_ns,duration_ns,pid,tid,group,name,message\r\n",
	      export->out);
	syscap_reader_rewind(export->reader);
	while ((r = syscap_reader_next(export->reader, &frame, NULL)) != 0) {
		if (r == -EILSEQ)
			continue;
		if (r > 0)
			r = take_frame(export, second, &frame);
		if (r < 0)
			break;
	}
	syscap_profile_free(second);
	return r == -ENOMEM ? r : 0;
}

/* A double that is no number is empty. */
static void write_value(FILE *out, bool is_double, uint64_t bits)
{
	struct syc_json number = { .out = out };
	double value;

	memcpy(&value, &bits, sizeof(value));
	if (!is_double)
		syc_csv_integer(out, (int64_t)bits, "");
	else if (isfinite(value))
		syc_json_double(&number, value);
	fputs("\r\n", out);
}

int syc_export_csv_counters(struct syc_export *export)
{
	const struct syscap_profile_counter *counters;
	struct syscap_profile_values values;
	FILE *out = export->out;
	size_t ignored;

	counters = syscap_profile_counters(export->profile, &ignored);
	syscap_profile_values(export->profile, &values);
	fputs("time_ns,pid,tid,id,category,name,type,value\r\n", out);
	for (size_t i = 0; i < values.n; i++) {
		const struct syscap_profile_counter *counter =
			&counters[values.counters[i]];

		if (!has(export, values.threads[i], values.times[i]))
			continue;
		syc_csv_integer(out, values.times[i], ",");
		syc_csv_thread(export, values.threads[i]);
		syc_csv_integer(out, counter->id, ",");
		syc_csv_text(out, counter->category);
		putc_unlocked(',', out);
		syc_csv_text(out, counter->name);
		fputs(counter->is_double ? ",double," : ",int64,", out);
		write_value(out, counter->is_double, values.bits[i]);
	}
	return 0;
}

int syc_export_csv_logs(struct syc_export *export)
{
	const struct syscap_profile_log *logs;
	FILE *out = export->out;
	size_t n;
	int r = 0;

	logs = syscap_profile_logs(export->profile, &n);
	fputs("time_ns,pid,tid,severity,domain,message\r\n", out);
	for (size_t i = 0; r == 0 && i < n; i++) {
		if (!has(export, logs[i].thread, logs[i].time))
			continue;
		syc_csv_integer(out, logs[i].time, ",");
		syc_csv_thread(export, logs[i].thread);
		fprintf(out, "%s,",
		        syc_severity_name(
				syc_severity_index(logs[i].severity)));
		syc_csv_text(out, logs[i].domain);
		putc_unlocked(',', out);
		r = write_message(export, logs[i].offset);
	}
	return r;
}

/* A row is what was allocated; when it was freed is in it. */
int syc_export_csv_allocations(struct syc_export *export)
{
	const struct syscap_view *heap = export->heap;
	const struct syscap_profile_allocation *items;
	FILE *out = export->out;
	struct syc_folded folded;
	size_t n;
	int r = syc_folded_init(&folded, export->profile, true);

	items = syscap_profile_allocations(export->profile, &n);
	fputs("time_ns,pid,tid,address,bytes,freed_ns,is_temporary,function,"
	      "stack\r\n",
	      out);
	for (size_t i = 0; r == 0 && heap != NULL && i < n; i++) {
		const struct syscap_profile_allocation *item = &items[i];

		if ((heap->passed[i / 64] >> (i % 64) & 1) == 0)
			continue;
		fprintf(out, "%" PRId64 ",", item->time);
		syc_csv_thread(export, item->thread);
		fprintf(out, "%" PRIu64 ",%" PRId64 ",", item->address,
		        item->size);
		if (item->ended_by != SYSCAP_PROFILE_NONE)
			fprintf(out, "%" PRId64, items[item->ended_by].time);
		fprintf(out, ",%d,", item->is_temporary);
		syc_csv_text(out,
		             syscap_profile_function(
				     export->profile,
				     heap->functions[heap->nodes[item->stack]])
		                     ->name);
		fputs(",\"", out);
		r = syc_folded_stack(&folded, out, heap,
		                     heap->nodes[item->stack]);
		fputs("\"\r\n", out);
	}
	syc_folded_fini(&folded);
	return r;
}

int syc_export_csv_losses(struct syc_export *export)
{
	const struct syscap_view *view = export->view;
	const struct syscap_profile_loss *losses;
	size_t ignored;

	losses = syscap_profile_losses(export->profile, &ignored);
	fputs("begin_ns,end_ns,pid,tid,frames,samples,bytes\r\n", export->out);
	for (size_t i = 0; i < view->n_losses; i++) {
		const struct syscap_profile_loss *loss =
			&losses[view->losses[i]];

		fprintf(export->out, "%" PRId64 ",%" PRId64 ",", loss->begin,
		        loss->end);
		syc_csv_thread(export, loss->thread);
		fprintf(export->out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\r\n",
		        loss->frames, loss->samples, loss->bytes);
	}
	return 0;
}
