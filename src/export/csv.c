/* SPDX-License-Identifier: BSD-2-Clause */
/* csv.c - tables of samples, functions and events in the form of RFC 4180. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/strings.h"
#include "export/export.h"
#include "export/stacks.h"

/*
 * Write a quoted cell, with each quote inside doubled.  A spreadsheet may
 * evaluate a cell by its first character, but this character is data and stays.
 */
static void csv_text(FILE *out, const char *text)
{
	putc_unlocked('"', out);
	for (;;) {
		const size_t run = (size_t)(strchrnul(text, '"') - text);

		fwrite_unlocked(text, 1, run, out);
		text += run;
		if (*text == 0)
			break;
		fputs_unlocked("\"\"", out);
		text++;
	}
	putc_unlocked('"', out);
}

static void write_digits(FILE *out, int64_t value)
{
	char text[SYC_DIGITS_SIZE], *const end = text + sizeof(text);
	const char *first = syc_digits_signed(end, value);

	fwrite_unlocked(first, 1, (size_t)(end - first), out);
}

static void csv_integer(FILE *out, int64_t value, const char *behind)
{
	write_digits(out, value);
	fputs_unlocked(behind, out);
}

/* Write "pid,tid,"; an unknown id is empty. */
static void csv_thread(const struct syc_export *export, uint32_t number)
{
	const struct syscap_profile_thread *threads;
	const struct syscap_profile_process *processes;
	size_t ignored;

	threads = syscap_profile_threads(export->profile, &ignored);
	processes = syscap_profile_processes(export->profile, &ignored);
	const int32_t pid = processes[threads[number].process].pid;

	if (pid >= 0)
		write_digits(export->out, pid);
	putc_unlocked(',', export->out);
	if (threads[number].tid >= 0)
		write_digits(export->out, threads[number].tid);
	putc_unlocked(',', export->out);
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

		csv_text(out, function->name);
		putc_unlocked(',', out);
		csv_text(out, function->binary);
		fprintf(out, ",%s,%d,%" PRIu64 ",%" PRIu64 "\r\n",
		        syc_category_name(function->category),
		        function->is_inlined, view->sums[i].self,
		        view->sums[i].total);
	}
	return 0;
}

static void write_weight(FILE *out, uint64_t weight)
{
	if (weight > INT64_MAX)
		fprintf(out, "%" PRIu64 ",", weight);
	else
		csv_integer(out, (int64_t)weight, ",");
}

static void write_line(FILE *out, const struct syscap_profile_line *line)
{
	if (line != NULL)
		csv_text(out, line->file);
	putc_unlocked(',', out);
	if (line != NULL && line->line != 0)
		csv_integer(out, line->line, "");
	putc_unlocked(',', out);
}

/*
 * Names of functions in the form of a cell, prepared once, since samples far
 * outnumber functions.
 */
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
		csv_text(texts, functions[i].name);
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
	struct syc_batch_walk batch;
	struct syc_folded folded;
	struct ready ready;
};

/* The row of sample @i, whose stack is number @k of the batch. */
static int write_sample(struct table *table, size_t i, size_t k)
{
	struct syc_export *export = table->export;
	const struct syscap_view *view = export->view;
	const struct syscap_profile_samples *samples = &table->samples;
	const uint32_t *path = syc_batch_walk_path(&table->batch, k);
	const uint32_t thread = samples->threads[i];
	const uint64_t tick =
		syc_amount_is_time(view->unit)
			? syscap_profile_tick(export->profile, thread)
			: 1;
	int r;

	csv_integer(export->out, samples->times[i], ",");
	csv_thread(export, thread);
	write_weight(export->out, samples->ticks[i] * tick);
	write_ready(&table->ready, view->functions[path[0]], export->out);
	putc_unlocked(',', export->out);
	write_line(export->out,
	           syc_line_of_node(export->profile, view, path[0]));
	putc_unlocked('"', export->out);
	r = syc_folded_path(&table->folded, export->out, view, path,
	                    table->batch.lens[k]);
	fputs_unlocked("\"\r\n", export->out);
	return r;
}

static int write_some(struct table *table, const uint32_t *numbers, size_t n)
{
	struct syc_batch_walk *batch = &table->batch;
	int r = 0;

	syc_batch_walk_run(batch, numbers, n);
	for (size_t k = 0; k < n; k++)
		syc_folded_fetch(&table->folded, batch->view,
		                 syc_batch_walk_path(batch, k), batch->lens[k]);
	for (size_t k = 0; r == 0 && k < n; k++)
		r = write_sample(table, numbers[k], k);
	return r;
}

static int write_samples(struct table *table)
{
	const struct syscap_view *view = table->export->view;
	uint32_t numbers[SYC_BATCH_WALK_MAX];
	size_t n = 0;
	int r = 0;

	fprintf(table->export->out,
	        "time_ns,pid,tid,weight_%s,function,file,line,stack\r\n",
	        unit_column(view));
	for (size_t i = 0; r == 0 && i < table->samples.n; i++) {
		if ((view->passed[i / 64] >> (i % 64) & 1) == 0)
			continue;
		numbers[n++] = (uint32_t)i;
		if (n == SYC_BATCH_WALK_MAX) {
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
		r = syc_batch_walk_init(&table.batch, export->view,
		                        &table.samples);
	if (r == 0)
		r = make_ready(&table.ready, export->profile);
	if (r == 0)
		r = write_samples(&table);
	syc_batch_walk_fini(&table.batch);
	syc_folded_fini(&table.folded);
	free(table.ready.begins);
	free(table.ready.texts);
	return r;
}

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
	csv_text(export->out, message);
	fputs("\r\n", export->out);
	return 0;
}

static int write_text(struct syscap_profile *profile, const char *text,
                      const char *behind, FILE *out)
{
	const char *shown = syscap_profile_clean(profile, text);

	if (shown == NULL)
		return -ENOMEM;
	csv_text(out, shown);
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

	csv_integer(out, frame->time, ",");
	csv_integer(out, duration > 0 ? duration : 0, ",");
	csv_thread(export, event->thread);
	r = write_text(export->profile, frame->mark.group, ",", out);
	if (r == 0)
		r = write_text(export->profile, frame->mark.name, ",", out);
	return r == 0 ? write_text(export->profile, frame->mark.message, "\r\n",
	                           out)
	              : r;
}

/*
 * Rows are in the order of the file.  A second walk over the file writes the
 * rows, so no mark is kept in memory.
 */
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
		                    syscap_view_has_mark(
					    export->view, event.thread,
					    event.frame->time,
					    event.frame->mark.duration)
		            ? write_mark(export, &event)
		            : 0;
	syscap_profile_walk_free(walk);
	return r;
}

/* The cell of a NaN is empty. */
static void write_value(FILE *out, bool is_double, uint64_t bits)
{
	struct syc_json number = { .out = out };
	double value;

	memcpy(&value, &bits, sizeof(value));
	if (!is_double)
		csv_integer(out, (int64_t)bits, "");
	else if (isfinite(value))
		syc_json_double(&number, value);
	fputs("\r\n", out);
}

static void write_counter(const struct syc_export *export,
                          const struct syscap_profile_counter *counter,
                          const struct syscap_profile_value *value)
{
	FILE *out = export->out;

	csv_integer(out, value->time, ",");
	csv_thread(export, value->thread);
	csv_integer(out, counter->id, ",");
	csv_text(out, counter->category);
	putc_unlocked(',', out);
	csv_text(out, counter->name);
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
		csv_integer(out, logs[i].time, ",");
		csv_thread(export, logs[i].thread);
		fprintf(out, "%s,",
		        syc_severity_name(
				syc_severity_index(logs[i].severity)));
		csv_text(out, logs[i].domain);
		putc_unlocked(',', out);
		r = write_message(export, logs[i].offset);
	}
	return r;
}

/* A row is an allocation, with the time of its free. */
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
		csv_thread(export, item->thread);
		fprintf(out, "%" PRIu64 ",%" PRId64 ",", item->address,
		        item->size);
		if (item->ended_by != SYSCAP_PROFILE_NONE)
			fprintf(out, "%" PRId64, items[item->ended_by].time);
		fprintf(out, ",%d,", item->is_temporary);
		csv_text(out, syscap_profile_function(
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
		csv_thread(export, loss->thread);
		fprintf(export->out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\r\n",
		        loss->frames, loss->samples, loss->bytes);
	}
	return 0;
}
