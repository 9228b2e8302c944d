/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * firefox.c - the processed profile format of the Firefox Profiler: threads and
 * meta.
 *
 * Tables are columns; times are milliseconds after the beginning of the
 * capture.
 */
#include "export/firefox.h"

#include <errno.h>
#include <stdlib.h>

#include "common/json.h"
#include "export/export.h"
#include "export/stacks.h"

/*
 * The written versions of the processed format and of Gecko's format.  Viewers
 * read older versions, but no newer versions.
 */
#define PROCESSED_VERSION 70
#define GECKO_VERSION     36

#define NS_DIGITS 6 /* decimals of a ms */

/* The shortest period of all processes; the viewer needs an interval. */
static int64_t find_period(const struct syscap_profile *profile)
{
	const struct syscap_profile_process *processes;
	int64_t period = 0;
	size_t n;

	processes = syscap_profile_processes(profile, &n);
	for (size_t i = 0; i < n; i++)
		if (processes[i].period_ns > 0 &&
		    (period == 0 || processes[i].period_ns < period))
			period = processes[i].period_ns;
	return period > 0 ? period : 1000000;
}

static void write_units(struct syc_json *json)
{
	syc_json_key(json, "sampleUnits");
	syc_json_begin_object(json);
	syc_json_member_text(json, "time", "ms");
	syc_json_member_text(json, "eventDelay", "ms");
	syc_json_member_text(json, "threadCPUDelta", "ns");
	syc_json_end_object(json);
}

/* Write a row of the viewer's panel about the profile. */
static void write_note(struct syc_json *json, const char *note)
{
	syc_json_key(json, "extra");
	syc_json_begin_array(json);
	syc_json_begin_object(json);
	syc_json_member_text(json, "label", "syscap");
	syc_json_key(json, "entries");
	syc_json_begin_array(json);
	syc_json_begin_object(json);
	syc_json_member_text(json, "label", "Missing samples");
	syc_json_member_text(json, "format", "string");
	syc_json_member_text(json, "value", note);
	syc_json_end_object(json);
	syc_json_end_array(json);
	syc_json_end_object(json);
	syc_json_end_array(json);
}

/* Write members of the open object. */
static void firefox_meta(struct syc_json *json, const struct syc_export *export)
{
	syc_json_key(json, "meta");
	syc_json_begin_object(json);
	syc_json_key(json, "interval");
	syc_json_fixed(json, find_period(export->profile), NS_DIGITS);
	syc_json_member_integer(json, "startTime", export->capture_time * 1000);
	syc_json_member_integer(json, "processType", 0);
	syc_json_member_text(json, "product", export->name);
	syc_json_member_integer(json, "stackwalk", 1);
	syc_json_member_integer(json, "version", GECKO_VERSION);
	syc_json_member_integer(json, "preprocessedProfileVersion",
	                        PROCESSED_VERSION);
	syc_json_member_bool(json, "symbolicated", true);
	syc_json_member_text(json, "importedFrom", "syscap");
	syc_json_member_bool(json, "usesOnlyOneStackType", true);
	syc_json_member_bool(json, "sourceCodeIsNotOnSearchfox", true);
	write_units(json);
	syc_json_key(json, "categories");
	syc_firefox_tables_categories(json);
	syc_json_key(json, "markerSchema");
	syc_firefox_markers_schema(json);
	if (export->note[0] != 0)
		write_note(json, export->note);
	syc_json_end_object(json);
	syc_json_key(json, "libs");
	syc_json_begin_array(json);
	syc_json_end_array(json);
}

struct writer {
	const struct syc_export *export;
	struct syc_json json;
	int64_t begin; /* origin of all written times */
	struct syscap_profile_samples samples;
	struct syc_thread_samples by;
	struct syc_firefox_tables tables;
	struct syc_firefox_markers markers;
	struct syc_firefox_counters counters;
	struct syc_firefox_allocations allocations;
	uint32_t *rows;      /* place of each thread in the file, or NONE */
	uint32_t *main_rows; /* place of each process's main thread */
	uint32_t *lives;     /* number of earlier processes with the pid of each
	                      * process */
};

static void begin_object(struct writer *writer, const char *key)
{
	syc_json_key(&writer->json, key);
	syc_json_begin_object(&writer->json);
}

static void begin_column(struct writer *writer, const char *key)
{
	syc_json_key(&writer->json, key);
	syc_json_begin_array(&writer->json);
}

static void write_time(struct writer *writer, const char *key, int64_t time)
{
	syc_json_key(&writer->json, key);
	syc_firefox_time(&writer->json, writer->begin, time);
}

static void write_null(struct writer *writer, const char *key)
{
	syc_json_key(&writer->json, key);
	syc_json_null(&writer->json);
}

/* ------------------------------------------------------------- samples */

enum column {
	STACK,
	TIME,
	WEIGHT,
	CPU_DELTA
};

static void write_cell(struct writer *writer, enum column column,
                       uint32_t sample, uint64_t tick)
{
	const struct syscap_view *view = writer->export->view;
	const bool is_ms = column == WEIGHT && syc_amount_is_time(view->unit);
	const struct syscap_profile_samples *samples = &writer->samples;
	struct syc_json *json = &writer->json;

	if (column == STACK)
		syc_json_unsigned(json,
		                  view->nodes[samples->stacks[sample]] - 1u);
	else if (column == TIME)
		syc_firefox_time(json, writer->begin, samples->times[sample]);
	else
		syc_json_fixed(json, (int64_t)(samples->ticks[sample] * tick),
		               is_ms ? NS_DIGITS : 0);
}

static void write_column(struct writer *writer, uint32_t thread,
                         const char *key, enum column column)
{
	const uint64_t tick =
		syscap_profile_tick(writer->export->profile, thread);
	const uint32_t *numbers;
	size_t n;

	begin_column(writer, key);
	for (size_t at = 0;
	     (numbers = syc_thread_samples_get(&writer->by, thread, at, &n)) !=
	     NULL;
	     at += n)
		for (size_t i = 0; i < n; i++)
			write_cell(writer, column, numbers[i], tick);
	syc_json_end_array(&writer->json);
}

/* Weights are in ms if the time of a tick is known, otherwise in ticks. */
static void write_samples(struct writer *writer, uint32_t thread,
                          const struct syscap_profile_process *process)
{
	const bool is_time = syc_amount_is_time(writer->export->view->unit);

	begin_object(writer, "samples");
	write_column(writer, thread, "stack", STACK);
	write_column(writer, thread, "time", TIME);
	write_column(writer, thread, "weight", WEIGHT);
	syc_json_member_text(&writer->json, "weightType",
	                     is_time ? "tracing-ms" : "samples");
	if (is_time && process->clock == SYSCAP_CLOCK_CPU)
		write_column(writer, thread, "threadCPUDelta", CPU_DELTA);
	syc_json_member_unsigned(&writer->json, "length",
	                         writer->by.begins[thread + 1] -
	                                 writer->by.begins[thread]);
	syc_json_end_object(&writer->json);
}

/* ------------------------------------------------------------- threads */

/* A reused pid gets a suffix: "12", then "12.1". */
static void write_pid(struct writer *writer, uint32_t process)
{
	const struct syscap_profile_process *processes;
	char text[32];
	size_t n;

	processes = syscap_profile_processes(writer->export->profile, &n);
	if (writer->lives[process] == 0)
		snprintf(text, sizeof(text), "%d", (int)processes[process].pid);
	else
		snprintf(text, sizeof(text), "%d.%u",
		         (int)processes[process].pid,
		         (unsigned)writer->lives[process]);
	syc_json_member_text(&writer->json, "pid", text);
}

static void write_name(struct writer *writer,
                       const struct syscap_profile_thread *thread,
                       const struct syscap_profile_process *process)
{
	char text[32];

	if (thread->name[0] != 0) {
		syc_json_member_text(&writer->json, "name", thread->name);
		return;
	}
	if (process->pid < 0)
		snprintf(text, sizeof(text), "of no process");
	else if (thread->tid < 0)
		snprintf(text, sizeof(text), "unknown thread");
	else if (thread->tid == process->pid)
		snprintf(text, sizeof(text), "main thread");
	else
		snprintf(text, sizeof(text), "thread %d", (int)thread->tid);
	syc_json_member_text(&writer->json, "name", text);
}

static int write_thread(struct writer *writer, uint32_t number)
{
	const struct syscap_profile *profile = writer->export->profile;
	const struct syscap_profile_process *process;
	const struct syscap_profile_thread *thread;
	struct syc_json *json = &writer->json;
	size_t n;
	int r;

	thread = &syscap_profile_threads(profile, &n)[number];
	process = &syscap_profile_processes(profile, &n)[thread->process];
	syc_json_begin_object(json);
	syc_json_member_text(json, "processType", "default");
	syc_json_member_text(json, "processName", process->binary);
	write_time(writer, "processStartupTime", process->begin);
	if (process->has_ended)
		write_time(writer, "processShutdownTime", process->end);
	else
		write_null(writer, "processShutdownTime");
	write_time(writer, "registerTime", thread->begin);
	write_null(writer, "unregisterTime");
	begin_column(writer, "pausedRanges");
	syc_json_end_array(json);
	syc_json_member_bool(json, "showMarkersInTimeline", true);
	write_name(writer, thread, process);
	syc_json_member_bool(json, "isMainThread", thread->tid == process->pid);
	write_pid(writer, thread->process);
	syc_json_member_integer(json, "tid", thread->tid);
	write_samples(writer, number, process);
	syc_json_key(json, "markers");
	r = syc_firefox_markers_write(&writer->markers, json, number);
	syc_firefox_allocations_write(&writer->allocations, json, number,
	                              writer->begin);
	syc_json_end_object(json);
	return r;
}

static bool has_something(const struct writer *writer, size_t thread)
{
	const uint32_t *markers = writer->markers.by_thread.begins;

	return writer->by.begins[thread] < writer->by.begins[thread + 1] ||
	       markers[thread] < markers[thread + 1] ||
	       writer->counters.threads[thread] ||
	       syc_firefox_allocations_has(&writer->allocations,
	                                   (uint32_t)thread);
}

static int write_threads(struct writer *writer)
{
	uint32_t n = 0;
	int r = 0;

	begin_column(writer, "threads");
	for (size_t t = 0; r == 0 && t < writer->by.n_threads; t++) {
		writer->rows[t] = SYSCAP_PROFILE_NONE;
		if (!has_something(writer, t))
			continue;
		writer->rows[t] = n++;
		r = write_thread(writer, (uint32_t)t);
	}
	syc_json_end_array(&writer->json);
	return r;
}

/* ------------------------------------------------------------ counters */

/*
 * Find the thread below which the viewer shows data of a process: the main
 * thread, or the first thread in the file.
 */
static void find_main_rows(struct writer *writer)
{
	const struct syscap_profile_process *processes;
	const struct syscap_profile_thread *threads;
	size_t n_threads, n_processes;

	processes =
		syscap_profile_processes(writer->export->profile, &n_processes);
	threads = syscap_profile_threads(writer->export->profile, &n_threads);
	for (size_t i = 0; i < n_processes; i++)
		writer->main_rows[i] = SYSCAP_PROFILE_NONE;
	for (size_t i = 0; i < n_threads; i++) {
		const uint32_t process = threads[i].process;

		if (writer->rows[i] != SYSCAP_PROFILE_NONE &&
		    (writer->main_rows[process] == SYSCAP_PROFILE_NONE ||
		     threads[i].tid == processes[process].pid))
			writer->main_rows[process] = writer->rows[i];
	}
}

static int write_counters(struct writer *writer)
{
	const struct syscap_profile_counter *counters;
	struct syc_json *json = &writer->json;
	size_t n;
	int r = 0;

	find_main_rows(writer);
	counters = syscap_profile_counters(writer->export->profile, &n);
	begin_column(writer, "counters");
	for (size_t i = 0; r == 0 && i < n; i++) {
		if (!syc_firefox_counters_has(&writer->counters, i))
			continue;
		syc_json_begin_object(json);
		write_pid(writer, counters[i].process);
		syc_json_member_unsigned(
			json, "mainThreadIndex",
			writer->main_rows[counters[i].process]);
		r = syc_firefox_counters_write(&writer->counters, json,
		                               (uint32_t)i);
		syc_json_end_object(json);
	}
	syc_json_end_array(json);
	return r;
}

static int write_profile(struct writer *writer)
{
	struct syc_json *json = &writer->json;
	int r;

	syc_json_begin_object(json);
	firefox_meta(&writer->json, writer->export);
	syc_json_key(json, "shared");
	syc_firefox_tables_write(&writer->tables, json);
	r = write_threads(writer);
	if (r == 0)
		r = write_counters(writer);
	syc_json_end_object(json);
	syc_json_end_line(json);
	return r;
}

static int look_at_processes(struct writer *writer)
{
	const struct syscap_profile_process *processes;
	struct syc_map pids = { 0 };
	uint32_t *seen;
	size_t n, pid;
	int r = 0;

	processes = syscap_profile_processes(writer->export->profile, &n);
	writer->lives = calloc(n + 1, sizeof(*writer->lives));
	writer->main_rows = calloc(n + 1, sizeof(*writer->main_rows));
	seen = calloc(n + 1, sizeof(*seen));
	if (writer->lives == NULL || writer->main_rows == NULL || seen == NULL)
		r = -ENOMEM;
	for (size_t i = 0; r >= 0 && i < n; i++) {
		r = syc_map_put(&pids, &processes[i].pid,
		                sizeof(processes[i].pid), &pid);
		if (r >= 0)
			writer->lives[i] = seen[pid]++;
	}
	syc_map_fini(&pids);
	free(seen);
	return r < 0 ? r : 0;
}

int syc_export_firefox(struct syc_export *export)
{
	struct writer writer = { .export = export,
		                 .json = { .out = export->out } };
	struct syscap_profile_span span;
	int r;

	syscap_profile_span(export->profile, &span);
	writer.begin = span.begin;
	syscap_profile_samples(export->profile, &writer.samples);
	r = syc_thread_samples_init(&writer.by, export->profile, export->view);
	if (r == 0)
		r = look_at_processes(&writer);
	if (r == 0)
		r = syc_firefox_tables_init(&writer.tables, export);
	if (r == 0)
		r = syc_firefox_markers_init(&writer.markers, export,
		                             &writer.tables);
	if (r == 0)
		r = syc_firefox_counters_init(&writer.counters, export);
	if (r == 0)
		r = syc_firefox_allocations_init(&writer.allocations, export,
		                                 writer.tables.heap_stacks);
	writer.rows = calloc(writer.by.n_threads + 1, sizeof(*writer.rows));
	if (r == 0)
		r = writer.rows == NULL ? -ENOMEM : write_profile(&writer);
	export->n_no_numbers = writer.counters.n_no_numbers;
	syc_firefox_allocations_fini(&writer.allocations);
	syc_firefox_counters_fini(&writer.counters);
	syc_firefox_markers_fini(&writer.markers);
	syc_firefox_tables_fini(&writer.tables);
	syc_thread_samples_fini(&writer.by);
	free(writer.rows);
	free(writer.main_rows);
	free(writer.lives);
	return r;
}
