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
                      const struct syscap_profile_event *event)
{
	const struct syscap_frame *frame = event->frame;
	const int64_t duration = frame->mark.duration;
	FILE *out = export->out;
	int r;

	syc_csv_integer(out, frame->time, ",");
	syc_csv_integer(out, duration > 0 ? duration : 0, ",");
	syc_csv_thread(export, event->thread);
	r = write_text(export->profile, frame->mark.group, ",", out);
	if (r == 0)
		r = write_text(export->profile, frame->mark.name, ",", out);
	return r == 0 ? write_text(export->profile, frame->mark.message, "\r\n",
	                           out)
	              : r;
}

/* Rows are in the order of the file: a second walk over it writes them, and no
 * mark is kept. */
int syc_export_csv_marks(struct syc_export *export)
{
	struct syscap_profile_event event;
	struct syscap_profile_walk *walk;
	int r = syscap_profile_walk_new(export->profile, export->reader, &walk);

	if (r < 0)
		return r;
	fputs("time_ns,duration_ns,pid,tid,group,name,message\r\n",
	      export->out);
	while (r == 0 && (r = syscap_profile_walk_event(walk, &event)) > 0)
		r = event.frame->type == SYSCAP_FRAME_MARK && !event.is_loss &&
		                    has(export, event.thread, event.frame->time)
		            ? write_mark(export, &event)
		            : 0;
	syscap_profile_walk_free(walk);
	return r;
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

static void write_counter(const struct syc_export *export,
                          const struct syscap_profile_counter *counter,
                          const struct syscap_profile_value *value)
{
	FILE *out = export->out;

	syc_csv_integer(out, value->time, ",");
	syc_csv_thread(export, value->thread);
	syc_csv_integer(out, counter->id, ",");
	syc_csv_text(out, counter->category);
	putc_unlocked(',', out);
	syc_csv_text(out, counter->name);
	fputs_unlocked(counter->is_double ? ",double," : ",int64,", out);
	write_value(out, counter->is_double, value->bits);
}

int syc_export_csv_counters(struct syc_export *export)
{
	const struct syscap_profile_counter *counters;
	struct syscap_profile_value value;
	struct syscap_profile_walk *walk;
	size_t ignored;
	int r = syscap_profile_walk_new(export->profile, export->reader, &walk);

	if (r < 0)
		return r;
	counters = syscap_profile_counters(export->profile, &ignored);
	fputs("time_ns,pid,tid,id,category,name,type,value\r\n", export->out);
	while ((r = syscap_profile_walk_value(walk, &value)) > 0)
		if (has(export, value.thread, value.time))
			write_counter(export, &counters[value.counter], &value);
	syscap_profile_walk_free(walk);
	return r;
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
