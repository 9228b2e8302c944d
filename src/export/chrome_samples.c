/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chrome_samples.c - samples as V8's profiles in Chrome's trace format: for
 * each thread one, in chunks.  They have no weights: what stands for several
 * ticks is there several times.
 */
#include "export/chrome_samples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "export/by_thread.h"
#include "export/frames.h"

#define CATEGORY  "disabled-by-default-v8.cpu_profiler"
#define CHUNK     1000u
#define MOST_REPS 1000u /* what has more was made to fill the disk */

struct writer {
	struct syc_chrome *trace;
	struct syc_by_thread by;
	struct syscap_profile_samples samples;
	uint32_t *told_of; /* each node: the thread + 1 that it was told of */
	struct syc_frames frames;
	uint32_t *path; /* nodes of one stack that are new */
	int64_t last;   /* when the sample before was */
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

/* Nodes are numbered from 1, the root, on. */
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

/* Parents are told before their children. */
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
	     (numbers = syc_by_thread_get(&writer->by, thread, at, &n)) != NULL;
	     at += n) {
		if (at == 0)
			begin_thread(writer, thread,
			             writer->samples.times[numbers[0]]);
		for (size_t i = 0; i < n; i += CHUNK)
			write_chunk(writer, thread, numbers + i,
			            n - i < CHUNK ? n - i : CHUNK);
	}
}

int syc_chrome_samples(struct syc_chrome *trace)
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
		r = syc_by_thread_init(&writer.by, trace->export->profile,
		                       trace->export->view);
	for (size_t t = 0; r == 0 && t < writer.by.n_threads; t++)
		write_thread(&writer, (uint32_t)t);
	syc_by_thread_fini(&writer.by);
	syc_frames_fini(&writer.frames);
	free(writer.told_of);
	free(writer.path);
	return r;
}
