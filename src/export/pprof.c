/* SPDX-License-Identifier: BSD-2-Clause */
/* pprof.c - profile.proto of pprof: stacks with their sums, by thread. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/amount.h"
#include "export/by_thread.h"
#include "export/export.h"
#include "export/pprof_tables.h"

struct writer {
	struct syc_export *export;
	struct syc_pprof_file file;
	struct syc_pprof_tables tables;
	struct syscap_profile_samples samples;
	struct syc_by_thread by;
	uint64_t *ticks;   /* by node, of the thread that is looked at */
	uint32_t *touched; /* nodes */
	bool is_time;
};

/* Fields of Profile, beside those of the tables. */
enum {
	SAMPLE_TYPE = 1,
	SAMPLE = 2,
	TIME_NANOS = 9,
	DURATION_NANOS = 10,
	DEFAULT_SAMPLE_TYPE = 14
};

static void write_type(struct writer *writer, uint64_t type, uint64_t unit)
{
	syc_protobuf_number(&writer->file.message, 1, type);
	syc_protobuf_number(&writer->file.message, 2, unit);
	syc_pprof_write(&writer->file, SAMPLE_TYPE);
}

static void add_label(struct writer *writer, uint64_t key, int64_t number)
{
	if (number < 0)
		return;
	syc_protobuf_clear(&writer->file.inner);
	syc_protobuf_number(&writer->file.inner, 1, key);
	syc_protobuf_number(&writer->file.inner, 3, (uint64_t)number);
	syc_protobuf_message(&writer->file.message, 3, &writer->file.inner);
}

/* One stack of one thread, the innermost frame first. */
static void write_sample(struct writer *writer, uint32_t thread, uint32_t node)
{
	const struct syscap_profile_thread *threads;
	const struct syscap_profile_process *processes;
	const uint64_t ticks = writer->ticks[node];
	size_t n;

	threads = syscap_profile_threads(writer->export->profile, &n);
	processes = syscap_profile_processes(writer->export->profile, &n);
	syc_protobuf_clear(&writer->file.inner);
	syc_pprof_stack(&writer->tables, node, &writer->file.inner);
	syc_protobuf_message(&writer->file.message, 1, &writer->file.inner);
	syc_protobuf_clear(&writer->file.inner);
	syc_protobuf_varint(&writer->file.inner, ticks);
	if (writer->is_time)
		syc_protobuf_varint(
			&writer->file.inner,
			ticks * syscap_profile_tick(writer->export->profile,
		                                    thread));
	syc_protobuf_message(&writer->file.message, 2, &writer->file.inner);
	add_label(writer, SYC_PPROF_TEXT_PID,
	          processes[threads[thread].process].pid);
	add_label(writer, SYC_PPROF_TEXT_TID, threads[thread].tid);
	syc_pprof_write(&writer->file, SAMPLE);
}

/* Whether the stack of @sample is the @n-th of its thread. */
static bool add_ticks(struct writer *writer, uint32_t sample, size_t n)
{
	const uint32_t node =
		writer->export->view->nodes[writer->samples.stacks[sample]];
	const bool is_new = writer->ticks[node] == 0;

	if (is_new)
		writer->touched[n] = node;
	writer->ticks[node] += writer->samples.ticks[sample];
	return is_new;
}

static void write_thread(struct writer *writer, uint32_t thread)
{
	const uint32_t *numbers;
	size_t n_numbers, n = 0;

	for (size_t at = 0;
	     (numbers = syc_by_thread_get(&writer->by, thread, at,
	                                  &n_numbers)) != NULL;
	     at += n_numbers)
		for (size_t i = 0; i < n_numbers; i++)
			n += add_ticks(writer, numbers[i], n);
	for (size_t i = 0; i < n; i++) {
		write_sample(writer, thread, writer->touched[i]);
		writer->ticks[writer->touched[i]] = 0;
	}
}

static void write_profile(struct writer *writer)
{
	struct syscap_profile_span span;

	syscap_profile_span(writer->export->profile, &span);
	write_type(writer, SYC_PPROF_TEXT_SAMPLES, SYC_PPROF_TEXT_COUNT);
	if (writer->is_time)
		write_type(writer, SYC_PPROF_TEXT_TIME,
		           SYC_PPROF_TEXT_NANOSECONDS);
	syc_pprof_tables_write(&writer->tables, &writer->file);
	for (size_t t = 0; t < writer->by.n_threads; t++)
		write_thread(writer, (uint32_t)t);
	syc_protobuf_clear(&writer->file.outer);
	syc_protobuf_number(&writer->file.outer, TIME_NANOS,
	                    (uint64_t)writer->export->capture_time *
	                            UINT64_C(1000000000));
	syc_protobuf_number(&writer->file.outer, DURATION_NANOS,
	                    (uint64_t)span.end - (uint64_t)span.begin);
	syc_protobuf_number(&writer->file.outer, DEFAULT_SAMPLE_TYPE,
	                    writer->is_time ? SYC_PPROF_TEXT_TIME
	                                    : SYC_PPROF_TEXT_SAMPLES);
	syc_gzip_write(writer->file.gzip, writer->file.outer.bytes.items,
	               writer->file.outer.bytes.n);
}

int syc_export_pprof(struct syc_export *export)
{
	const size_t n = export->view->n_nodes;
	struct writer writer = {
		.export = export,
		.file.gzip = malloc(sizeof(*writer.file.gzip)),
		.ticks = calloc(n, sizeof(*writer.ticks)),
		.touched = calloc(n, sizeof(*writer.touched)),
		.is_time = syc_amount_is_time(export->view->unit),
	};
	int r = -ENOMEM;

	syscap_profile_samples(export->profile, &writer.samples);
	if (writer.file.gzip != NULL && writer.ticks != NULL &&
	    writer.touched != NULL)
		r = syc_by_thread_init(&writer.by, export->profile,
		                       export->view);
	if (r == 0)
		r = syc_pprof_tables_init(&writer.tables, export);
	if (r == 0) {
		syc_gzip_begin(writer.file.gzip, export->out);
		write_profile(&writer);
		syc_gzip_end(writer.file.gzip);
		if (writer.file.outer.failed || writer.file.message.failed)
			r = -ENOMEM;
	}
	syc_protobuf_fini(&writer.file.outer);
	syc_protobuf_fini(&writer.file.message);
	syc_protobuf_fini(&writer.file.inner);
	syc_by_thread_fini(&writer.by);
	syc_pprof_tables_fini(&writer.tables);
	free(writer.ticks);
	free(writer.touched);
	free(writer.file.gzip);
	return r;
}
