/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chrome.c - the trace format of Chrome DevTools: events, and samples as V8
 * profiles.
 *
 * Times are relative to the start of the capture: microseconds since boot do
 * not fit into a double with a precision of 1 ns. Each thread has one V8
 * profile, in chunks. V8 samples have no weights: a sample of several ticks is
 * repeated.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/strings.h"
#include "export/chrome_events.h"
#include "export/export.h"
#include "export/stacks.h"

#define CATEGORY  "disabled-by-default-v8.cpu_profiler"
#define CHUNK     1000u
#define MOST_REPS 1000u /* only a hostile capture has larger weights */

struct writer {
	struct syc_chrome *trace;
	struct syc_thread_samples by;
	struct syscap_profile_samples samples;
	/* 1 + the thread whose profile has each node. */
	uint32_t *told_of;
	struct syc_frames frames;
	uint32_t *path; /* new nodes of one stack */
	int64_t last;   /* time of the previous sample */
};

static uint32_t node_of(const struct writer *writer, uint32_t sample)
{
	const struct syscap_view *view = writer->trace->export->view;

	return view->nodes[writer->samples.stacks[sample]];
}

static uint32_t reps_of(const struct writer *writer, uint32_t sample)
{
	const uint32_t ticks = writer->samples.ticks[sample];

	return ticks < MOST_REPS ? ticks : MOST_REPS;
}

/* Node numbers start at 1, the root. */
static void write_node(struct writer *writer, uint32_t node)
{
	const struct syscap_view *view = writer->trace->export->view;
	struct syc_json *json = &writer->trace->json;
	const struct syscap_profile *profile = writer->trace->export->profile;
	const struct syscap_profile_function *function =
		syscap_profile_function(profile, view->functions[node]);
	const struct syscap_profile_line *line =
		syc_line_of_node(profile, view, node);

	syc_json_begin_object(json);
	syc_json_member_unsigned(json, "id", UINT64_C(1) + node);
	if (node != 0)
		syc_json_member_unsigned(json, "parent",
		                         UINT64_C(1) + view->parents[node]);
	syc_json_key(json, "callFrame");
	syc_json_begin_object(json);
	syc_json_member_text(json, "functionName",
	                     node != 0 ? syc_frames_name(&writer->frames,
	                                                 view->functions[node])
	                               : "(root)");
	syc_json_member_text(json, "url",
	                     line != NULL ? line->file
	                     : node != 0  ? function->binary
	                                  : "");
	if (line != NULL && line->line != 0)
		syc_json_member_unsigned(json, "lineNumber", line->line - 1);
	syc_json_member_unsigned(json, "scriptId", 0);
	syc_json_end_object(json);
	syc_json_end_object(json);
}

/* Write new nodes of a stack, parents before their children. */
static void tell_nodes(struct writer *writer, uint32_t thread, uint32_t node)
{
	const struct syscap_view *view = writer->trace->export->view;
	size_t n = 0;

	for (;; node = view->parents[node]) {
		if (writer->told_of[node] == thread + 1)
			break;
		writer->told_of[node] = thread + 1;
		writer->path[n++] = node;
		if (node == 0)
			break;
	}
	while (n > 0)
		write_node(writer, writer->path[--n]);
}

static void begin_data(struct writer *writer, const char *name, uint32_t thread,
                       int64_t time)
{
	struct syc_json *json = &writer->trace->json;
	char id[16];

	syc_chrome_event(writer->trace, "P", thread, time);
	syc_json_member_text(json, "cat", CATEGORY);
	syc_json_member_text(json, "name", name);
	snprintf(id, sizeof(id), "0x%" PRIx32, thread + 1);
	syc_json_member_text(json, "id", id);
	syc_json_key(json, "args");
	syc_json_begin_object(json);
	syc_json_key(json, "data");
	syc_json_begin_object(json);
}

static void end_data(struct writer *writer)
{
	syc_json_end_object(&writer->trace->json);
	syc_json_end_object(&writer->trace->json);
	syc_chrome_event_end(writer->trace);
}

static void write_deltas(struct writer *writer, const uint32_t *numbers,
                         size_t n)
{
	struct syc_json *json = &writer->trace->json;

	syc_json_key(json, "timeDeltas");
	syc_json_begin_array(json);
	for (size_t i = 0; i < n; i++) {
		const int64_t time = writer->samples.times[numbers[i]];

		syc_json_fixed(
			json,
			(int64_t)((uint64_t)time - (uint64_t)writer->last), 3);
		for (uint32_t k = 1; k < reps_of(writer, numbers[i]); k++)
			syc_json_unsigned(json, 0);
		writer->last = time;
	}
	syc_json_end_array(json);
}

static void write_chunk(struct writer *writer, uint32_t thread,
                        const uint32_t *numbers, size_t n)
{
	struct syc_json *json = &writer->trace->json;

	begin_data(writer, "ProfileChunk", thread,
	           writer->samples.times[numbers[0]]);
	syc_json_key(json, "cpuProfile");
	syc_json_begin_object(json);
	syc_json_key(json, "nodes");
	syc_json_begin_array(json);
	for (size_t i = 0; i < n; i++)
		tell_nodes(writer, thread, node_of(writer, numbers[i]));
	syc_json_end_array(json);
	syc_json_key(json, "samples");
	syc_json_begin_array(json);
	for (size_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < reps_of(writer, numbers[i]); k++)
			syc_json_unsigned(json,
			                  UINT64_C(1) +
			                          node_of(writer, numbers[i]));
		writer->trace->export->n_ticks +=
			writer->samples.ticks[numbers[i]] -
			reps_of(writer, numbers[i]);
	}
	syc_json_end_array(json);
	syc_json_end_object(json);
	write_deltas(writer, numbers, n);
	end_data(writer);
}

static void begin_thread(struct writer *writer, uint32_t thread, int64_t time)
{
	writer->last = time;
	begin_data(writer, "Profile", thread, time);
	syc_chrome_time(writer->trace, "startTime",
	                (uint64_t)time - (uint64_t)writer->trace->begin);
	end_data(writer);
}

static void write_thread(struct writer *writer, uint32_t thread)
{
	const uint32_t *numbers;
	size_t n;

	for (size_t at = 0;
	     (numbers = syc_thread_samples_get(&writer->by, thread, at, &n)) !=
	     NULL;
	     at += n) {
		if (at == 0)
			begin_thread(writer, thread,
			             writer->samples.times[numbers[0]]);
		for (size_t i = 0; i < n; i += CHUNK)
			write_chunk(writer, thread, numbers + i,
			            n - i < CHUNK ? n - i : CHUNK);
	}
}

/* Returns 0 or -ENOMEM. */
static int chrome_samples(struct syc_chrome *trace)
{
	const size_t n = trace->export->view->n_nodes;
	struct writer writer = {
		.trace = trace,
		.told_of = calloc(n, sizeof(*writer.told_of)),
		.path = calloc(n, sizeof(*writer.path)),
		.frames.export = trace->export,
	};
	int r = -ENOMEM;

	syscap_profile_samples(trace->export->profile, &writer.samples);
	if (writer.told_of != NULL && writer.path != NULL)
		r = syc_thread_samples_init(&writer.by, trace->export->profile,
		                            trace->export->view);
	for (size_t t = 0; r == 0 && t < writer.by.n_threads; t++)
		write_thread(&writer, (uint32_t)t);
	syc_thread_samples_fini(&writer.by);
	syc_frames_fini(&writer.frames);
	free(writer.told_of);
	free(writer.path);
	return r;
}

static bool has(const struct syc_chrome *trace, uint32_t thread, int64_t time)
{
	return syscap_view_has(trace->export->view, thread, time);
}

/* ---------------------------------------------------------------- names */

static void write_name(struct syc_chrome *trace, const char *what, int32_t pid,
                       int32_t tid, const char *name)
{
	struct syc_json *json = &trace->json;

	syc_json_begin_object(json);
	syc_json_member_text(json, "ph", "M");
	syc_json_member_integer(json, "pid", pid);
	syc_json_member_integer(json, "tid", tid);
	syc_json_member_text(json, "name", what);
	syc_json_key(json, "args");
	syc_json_begin_object(json);
	syc_json_member_text(json, "name", name);
	syc_json_end_object(json);
	syc_chrome_event_end(trace);
}

static void write_names(struct syc_chrome *trace)
{
	size_t n;

	syscap_profile_processes(trace->export->profile, &n);
	for (size_t i = 0; i < n; i++) {
		const int32_t pid = trace->pids.items[i];
		const char *name = trace->processes[i].binary;

		if (pid < 0)
			name = "machine";
		if (name[0] != 0)
			write_name(trace, "process_name", pid, pid, name);
	}
	syscap_profile_threads(trace->export->profile, &n);
	for (size_t i = 0; i < n; i++)
		if (trace->threads[i].name[0] != 0)
			write_name(trace, "thread_name",
			           trace->pids.items[trace->threads[i].process],
			           trace->threads[i].tid,
			           trace->threads[i].name);
}

/* ---------------------------------------------------------------- values */

static void write_value(struct syc_chrome *trace,
                        const struct syscap_profile_counter *counter,
                        const struct syscap_profile_value *value)
{
	struct syc_json *json = &trace->json;
	char name[SYC_COUNTER_NAME_SIZE];
	double real;

	syc_chrome_event(trace, "C", value->thread, value->time);
	syc_counter_name(counter, name);
	syc_json_member_text(json, "name", name);
	syc_json_key(json, "args");
	syc_json_begin_object(json);
	memcpy(&real, &value->bits, sizeof(real));
	syc_json_key(json, "value");
	if (counter->is_double)
		syc_json_double(json, real);
	else
		syc_json_integer(json, (int64_t)value->bits);
	syc_json_end_object(json);
	syc_chrome_event_end(trace);
}

static int write_values(struct syc_chrome *trace)
{
	const struct syscap_profile_counter *counters;
	struct syscap_profile_value value;
	struct syscap_profile_walk *walk;
	size_t n;
	int r;

	counters = syscap_profile_counters(trace->export->profile, &n);
	if (n == 0)
		return 0;
	r = syscap_profile_walk_new(trace->export->profile,
	                            trace->export->reader, &walk);
	if (r < 0)
		return r;
	while ((r = syscap_profile_walk_value(walk, &value)) > 0)
		if (has(trace, value.thread, value.time))
			write_value(trace, &counters[value.counter], &value);
	syscap_profile_walk_free(walk);
	return r;
}

/* ------------------------------------------------------------------ logs */

static int write_log(struct syc_chrome *trace,
                     const struct syscap_profile_log *log)
{
	struct syc_export *export = trace->export;
	struct syc_json *json = &trace->json;
	const char *message = syscap_profile_message(
		export->profile, export->reader, log->offset);

	if (message == NULL)
		return -ENOMEM;
	syc_chrome_event(trace, "I", log->thread, log->time);
	syc_json_member_text(json, "s", "t");
	syc_json_member_text(json, "cat", "log");
	syc_json_member_text(json, "name", log->domain);
	syc_json_key(json, "args");
	syc_json_begin_object(json);
	syc_json_member_text(
		json, "severity",
		syc_severity_name(syc_severity_index(log->severity)));
	syc_json_member_text(json, "message", message);
	syc_json_end_object(json);
	syc_chrome_event_end(trace);
	return 0;
}

static int write_logs(struct syc_chrome *trace)
{
	const struct syscap_profile_log *logs;
	size_t n;
	int r = 0;

	logs = syscap_profile_logs(trace->export->profile, &n);
	for (size_t i = 0; r == 0 && i < n; i++)
		if (has(trace, logs[i].thread, logs[i].time))
			r = write_log(trace, &logs[i]);
	return r;
}

/* --------------------------------------------------- losses, allocations */

static void write_losses(struct syc_chrome *trace)
{
	const struct syscap_view *view = trace->export->view;
	const struct syscap_profile_loss *losses;
	struct syc_json *json = &trace->json;
	size_t ignored;

	losses = syscap_profile_losses(trace->export->profile, &ignored);
	for (size_t i = 0; i < view->n_losses; i++) {
		const struct syscap_profile_loss *loss =
			&losses[view->losses[i]];

		for (unsigned end = 0; end < 2; end++) {
			syc_chrome_event(trace, end ? "e" : "b", loss->thread,
			                 end ? loss->end : loss->begin);
			syc_chrome_local_id(trace, "lost ", view->losses[i]);
			syc_json_member_text(json, "cat", "syscap");
			syc_json_member_text(json, "name", "lost");
			syc_json_key(json, "args");
			syc_json_begin_object(json);
			if (!end) {
				syc_json_member_unsigned(json, "frames",
				                         loss->frames);
				syc_json_member_unsigned(json, "samples",
				                         loss->samples);
				syc_json_member_unsigned(json, "bytes",
				                         loss->bytes);
			}
			syc_json_end_object(json);
			syc_chrome_event_end(trace);
		}
	}
}

static void write_allocations(struct syc_chrome *trace)
{
	const struct syscap_view *heap = trace->export->heap;
	const struct syscap_profile_allocation *items;
	struct syc_json *json = &trace->json;
	size_t n;

	if (heap == NULL)
		return;
	items = syscap_profile_allocations(trace->export->profile, &n);
	for (size_t i = 0; i < n; i++) {
		if ((heap->passed[i / 64] >> (i % 64) & 1) == 0)
			continue;
		syc_chrome_event(trace, "I", items[i].thread, items[i].time);
		syc_json_member_text(json, "s", "t");
		syc_json_member_text(json, "cat", "allocation");
		syc_json_member_text(
			json, "name",
			syscap_profile_function(
				trace->export->profile,
				heap->functions[heap->nodes[items[i].stack]])
				->name);
		syc_json_key(json, "args");
		syc_json_begin_object(json);
		syc_json_member_address(json, "address", items[i].address);
		syc_json_member_integer(json, "bytes", items[i].size);
		syc_json_end_object(json);
		syc_chrome_event_end(trace);
	}
}

static int write_all(struct syc_chrome *trace)
{
	int r;

	syc_json_begin_object(&trace->json);
	syc_json_member_text(&trace->json, "displayTimeUnit", "ns");
	syc_json_key(&trace->json, "traceEvents");
	syc_json_begin_array(&trace->json);
	write_names(trace);
	r = syc_chrome_marks(trace);
	if (r == 0)
		r = syc_chrome_operations(trace);
	syc_chrome_arrows(trace);
	if (r == 0)
		r = write_values(trace);
	if (r == 0)
		r = write_logs(trace);
	write_losses(trace);
	if (r == 0)
		r = chrome_samples(trace);
	write_allocations(trace);
	syc_json_end_array(&trace->json);
	if (trace->export->note[0] != 0) {
		syc_json_key(&trace->json, "otherData");
		syc_json_begin_object(&trace->json);
		syc_json_member_text(&trace->json, "missing_samples",
		                     trace->export->note);
		syc_json_end_object(&trace->json);
	}
	syc_json_end_object(&trace->json);
	syc_json_end_line(&trace->json);
	return r;
}

int syc_export_chrome(struct syc_export *export)
{
	struct syc_chrome trace = { .export = export,
		                    .json = { .out = export->out } };
	struct syscap_profile_span span;
	size_t ignored;
	int r = syc_pids_init(&trace.pids, export->profile);

	trace.threads = syscap_profile_threads(export->profile, &ignored);
	trace.processes = syscap_profile_processes(export->profile, &ignored);
	trace.names = syscap_profile_mark_names(export->profile, &ignored);
	if (r == 0)
		r = syc_mark_links_init(&trace.linked, export->profile,
		                        export->view);
	if (r == 0) {
		syscap_profile_span(export->profile, &span);
		trace.begin = span.begin;
		r = write_all(&trace);
	}
	syc_mark_links_fini(&trace.linked);
	syc_pids_fini(&trace.pids);
	return r;
}
