/* SPDX-License-Identifier: BSD-2-Clause */
/* stacks.c - walks of a view: its tree, its frames, its samples by thread. */
#define _GNU_SOURCE
#include "export/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers.h"
#include "export/export.h"
#include "profile/tree.h"

static int compare(const void *one, const void *other, void *data)
{
	const struct syc_callees_order *order = data;
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;
	const struct syscap_profile_function *f, *g;
	int r;

	f = syscap_profile_function(order->profile, order->view->functions[a]);
	g = syscap_profile_function(order->profile, order->view->functions[b]);
	r = strcmp(f->name, g->name);
	if (r == 0)
		r = strcmp(f->binary, g->binary);
	return r != 0 ? r : (a > b) - (a < b);
}

int syc_callees_by_name(struct syc_group *callees,
                        const struct syscap_profile *profile,
                        const struct syscap_view *view)
{
	const struct syc_callees_order order = { profile, view };

	return syc_callees_init(callees, &order, compare);
}

static int find_deepest(const struct syscap_view *view, size_t *ret_deepest)
{
	uint32_t *depths = calloc(view->n_nodes, sizeof(*depths));
	size_t deepest = 0;

	if (depths == NULL)
		return -ENOMEM;
	for (size_t i = 1; i < view->n_nodes; i++) {
		depths[i] = depths[view->parents[i]] + 1;
		deepest = depths[i] > deepest ? depths[i] : deepest;
	}
	free(depths);
	*ret_deepest = deepest;
	return 0;
}

int syc_batch_walk_init(struct syc_batch_walk *batch,
                        const struct syscap_view *view,
                        const struct syscap_profile_samples *samples)
{
	*batch = (struct syc_batch_walk){ .view = view, .samples = samples };
	if (find_deepest(view, &batch->deepest) < 0)
		return -ENOMEM;
	batch->nodes = calloc(batch->deepest + 1,
	                      SYC_BATCH_WALK_MAX * sizeof(*batch->nodes));
	return batch->nodes != NULL ? 0 : -ENOMEM;
}

void syc_batch_walk_fini(struct syc_batch_walk *batch)
{
	free(batch->nodes);
	batch->nodes = NULL;
}

/*
 * Move one frame outwards on each path.  Returns false if all paths are at the
 * root.
 */
static bool go_up(struct syc_batch_walk *batch, uint32_t *at, size_t n)
{
	const struct syscap_view *view = batch->view;
	bool goes_on = false;

	for (size_t i = 0; i < n; i++) {
		const uint32_t node = at[i];

		if (node == 0)
			continue;
		syc_batch_walk_path(batch, i)[batch->lens[i]++] = node;
		at[i] = view->parents[node];
		__builtin_prefetch(&view->parents[at[i]]);
		__builtin_prefetch(&view->functions[at[i]]);
		goes_on = true;
	}
	return goes_on;
}

void syc_batch_walk_run(struct syc_batch_walk *batch, const uint32_t *samples,
                        size_t n)
{
	const struct syscap_view *view = batch->view;
	uint32_t at[SYC_BATCH_WALK_MAX];

	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(
			&view->nodes[batch->samples->stacks[samples[i]]]);
	for (size_t i = 0; i < n; i++) {
		at[i] = view->nodes[batch->samples->stacks[samples[i]]];
		batch->lens[i] = 0;
		__builtin_prefetch(&view->parents[at[i]]);
		__builtin_prefetch(&view->functions[at[i]]);
	}
	while (go_up(batch, at, n))
		continue;
}

#define NONE SYSCAP_PROFILE_NONE

static int number_nodes(struct syc_frames *frames, struct syc_map *known,
                        const struct syscap_view *view, uint32_t **ret_numbers)
{
	int r = 0;

	if (view == NULL || view->lines == NULL)
		return 0;
	*ret_numbers = calloc(view->n_nodes, sizeof(**ret_numbers));
	if (*ret_numbers == NULL)
		return -ENOMEM;
	for (size_t i = 1; r >= 0 && i < view->n_nodes; i++) {
		const struct syc_frame frame = { view->functions[i],
			                         view->lines[i] };
		size_t number;

		r = syc_map_put(known, &frame, sizeof(frame), &number);
		if (r > 0)
			r = syc_array_push(&frames->items, frame);
		if (r >= 0)
			(*ret_numbers)[i] = (uint32_t)number;
	}
	return r < 0 ? r : 0;
}

int syc_frames_init(struct syc_frames *frames, const struct syc_export *export)
{
	struct syc_map known = { 0 };
	int r;

	*frames = (struct syc_frames){ .export = export };
	r = number_nodes(frames, &known, export->view, &frames->of_nodes);
	if (r == 0)
		r = number_nodes(frames, &known, export->heap,
		                 &frames->of_heap);
	syc_map_fini(&known);
	frames->n = frames->items.n;
	if (frames->of_nodes == NULL)
		syscap_profile_functions(export->profile, &frames->n);
	return r;
}

void syc_frames_fini(struct syc_frames *frames)
{
	free(frames->items.items);
	free(frames->of_nodes);
	free(frames->of_heap);
	free(frames->shown);
}

uint32_t syc_frames_of(const struct syc_frames *frames,
                       const struct syscap_view *view, uint32_t node)
{
	if (frames->of_nodes == NULL)
		return view->functions[node];
	return view == frames->export->view ? frames->of_nodes[node]
	                                    : frames->of_heap[node];
}

struct syc_frame syc_frames_get(const struct syc_frames *frames, size_t number)
{
	if (frames->of_nodes == NULL)
		return (struct syc_frame){ (uint32_t)number, NONE };
	return frames->items.items[number];
}

static const struct syscap_profile_line *
line_of(const struct syscap_profile *profile, uint32_t line)
{
	size_t n;

	return line == NONE ? NULL : &syscap_profile_lines(profile, &n)[line];
}

const struct syscap_profile_line *
syc_frames_line(const struct syc_frames *frames, size_t number)
{
	return line_of(frames->export->profile,
	               syc_frames_get(frames, number).line);
}

const struct syscap_profile_line *
syc_line_of_node(const struct syscap_profile *profile,
                 const struct syscap_view *view, uint32_t node)
{
	return view->lines == NULL ? NULL : line_of(profile, view->lines[node]);
}

const char *syc_frames_name(struct syc_frames *frames, uint32_t number)
{
	const struct syscap_profile_function *function =
		syscap_profile_function(frames->export->profile, number);

	if (!function->is_inlined)
		return function->name;
	free(frames->shown);
	if (asprintf(&frames->shown, "%s (inlined)", function->name) < 0)
		frames->shown = NULL;
	return frames->shown != NULL ? frames->shown : function->name;
}

#define LEAST_PIECE 65536u
#define MOST_PIECES 8u

static size_t count_of(const struct syc_thread_samples *by, size_t thread)
{
	return by->begins[thread + 1] - by->begins[thread];
}

static uint32_t thread_of(const struct syc_thread_samples *by, size_t i)
{
	return (by->view->passed[i / 64] >> (i % 64) & 1) != 0
	               ? by->samples.threads[i]
	               : SYSCAP_PROFILE_NONE;
}

/* Count the samples of each thread, and check their order.  Returns 0 or
 * -ENOMEM. */
static int count_samples(struct syc_thread_samples *by)
{
	int64_t *last = calloc(by->n_threads + 1, sizeof(*last));

	if (last == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < by->samples.n; i++) {
		const uint32_t thread = thread_of(by, i);

		if (thread == SYSCAP_PROFILE_NONE)
			continue;
		if (by->begins[thread + 1]++ > 0 &&
		    by->samples.times[i] < last[thread])
			by->is_mixed[thread] = true;
		last[thread] = by->samples.times[i];
	}
	free(last);
	for (size_t t = 0; t < by->n_threads; t++)
		by->begins[t + 1] += by->begins[t];
	return 0;
}

/*
 * Return whether samples of @thread are loaded in pieces.  Samples to be sorted
 * are loaded in one read.
 */
static bool is_in_pieces(const struct syc_thread_samples *by, size_t thread)
{
	return !by->is_mixed[thread] && count_of(by, thread) > by->piece;
}

int syc_thread_samples_init(struct syc_thread_samples *by,
                            const struct syscap_profile *profile,
                            const struct syscap_view *view)
{
	size_t room;

	*by = (struct syc_thread_samples){ .view = view };
	syscap_profile_samples(profile, &by->samples);
	syscap_profile_threads(profile, &by->n_threads);
	by->piece = by->samples.n / MOST_PIECES;
	if (by->piece < LEAST_PIECE)
		by->piece = LEAST_PIECE;
	by->begins = calloc(by->n_threads + 1, sizeof(*by->begins));
	by->ends = calloc(by->n_threads + 1, sizeof(*by->ends));
	by->is_mixed = calloc(by->n_threads + 1, sizeof(*by->is_mixed));
	if (by->begins == NULL || by->ends == NULL || by->is_mixed == NULL ||
	    by->samples.n > UINT32_MAX || count_samples(by) < 0)
		return -ENOMEM;
	room = by->piece;
	for (size_t t = 0; t < by->n_threads; t++)
		if (by->is_mixed[t] && count_of(by, t) > room)
			room = count_of(by, t);
	if (room > by->begins[by->n_threads])
		room = by->begins[by->n_threads];
	by->rows = malloc((room + 1) * sizeof(*by->rows));
	return by->rows == NULL ? -ENOMEM : 0;
}

void syc_thread_samples_fini(struct syc_thread_samples *by)
{
	free(by->begins);
	free(by->ends);
	free(by->is_mixed);
	free(by->rows);
	*by = (struct syc_thread_samples){ 0 };
}

/* Load the next part of a thread with many samples. */
static void pick_some(struct syc_thread_samples *by, size_t thread, size_t at)
{
	const bool goes_on = by->first == thread && by->skipped + by->n == at;
	size_t to_skip = goes_on ? 0 : at;

	if (!goes_on)
		by->next = 0;
	by->first = thread;
	by->end = thread + 1;
	by->skipped = at;
	by->n = 0;
	for (; by->n < by->piece && by->next < by->samples.n; by->next++) {
		if (thread_of(by, by->next) != thread)
			continue;
		if (to_skip > 0)
			to_skip--;
		else
			by->rows[by->n++] = (uint32_t)by->next;
	}
}

/* Load all samples of @thread, and of as many following threads as fit. */
static void pick_threads(struct syc_thread_samples *by, size_t thread)
{
	const size_t base = by->begins[thread];

	by->first = thread;
	by->skipped = 0;
	for (by->end = thread + 1; by->end < by->n_threads &&
	                           by->begins[by->end + 1] - base <= by->piece;)
		by->end++;
	by->n = by->begins[by->end] - base;
	for (size_t t = by->first; t < by->end; t++)
		by->ends[t] = by->begins[t] - base;
	for (size_t i = 0; i < by->samples.n; i++) {
		const uint32_t of = thread_of(by, i);

		if (of >= by->first && of < by->end)
			by->rows[by->ends[of]++] = (uint32_t)i;
	}
	for (size_t t = by->first; t < by->end; t++)
		if (by->is_mixed[t])
			syc_order_by_time(by->rows + (by->begins[t] - base),
			                  count_of(by, t), by->samples.times);
}

static bool has_piece(const struct syc_thread_samples *by, size_t thread,
                      size_t at)
{
	return thread >= by->first && thread < by->end && at >= by->skipped &&
	       (!is_in_pieces(by, thread) || at - by->skipped < by->n);
}

const uint32_t *syc_thread_samples_get(struct syc_thread_samples *by,
                                       uint32_t thread, size_t at,
                                       size_t *ret_n)
{
	const bool in_pieces = is_in_pieces(by, thread);

	if (at >= count_of(by, thread))
		return NULL;
	if (!has_piece(by, thread, at)) {
		if (in_pieces)
			pick_some(by, thread, at);
		else
			pick_threads(by, thread);
	}
	if (in_pieces) {
		*ret_n = by->n - (at - by->skipped);
		return by->rows + (at - by->skipped);
	}
	*ret_n = count_of(by, thread) - at;
	return by->rows + (by->begins[thread] - by->begins[by->first]) + at;
}

/* Helpers of all formats: labels, names, process ids. */

bool syc_amount_is_time(enum syscap_view_unit unit)
{
	return unit != SYSCAP_UNIT_TICKS && unit != SYSCAP_UNIT_BYTES;
}

const char *syc_category_name(enum syscap_profile_category category)
{
	static const char *const names[] = {
		[SYSCAP_CATEGORY_APPLICATION] = "application",
		[SYSCAP_CATEGORY_SYSTEM] = "system",
		[SYSCAP_CATEGORY_JIT] = "jit",
		[SYSCAP_CATEGORY_KERNEL] = "kernel",
		[SYSCAP_CATEGORY_NOTE] = "note",
		[SYSCAP_CATEGORY_RECORDING] = "recording",
	};

	return names[category];
}

_Static_assert(SYC_COUNTER_NAME_SIZE > 2 * 3 * 32 + 2, "there is room");

/* The function avoids printf() for speed, since each value needs a name. */
void syc_counter_name(const struct syscap_profile_counter *counter,
                      char ret_name[SYC_COUNTER_NAME_SIZE])
{
	if (counter->name[0] != 0)
		stpcpy(stpcpy(stpcpy(ret_name, counter->category), ": "),
		       counter->name);
	else
		snprintf(ret_name, SYC_COUNTER_NAME_SIZE, "counter %u",
		         (unsigned)counter->id);
}

/* First number above all Linux pids. */
#define FIRST_FREE (1 << 22)

int syc_pids_init(struct syc_pids *pids, const struct syscap_profile *profile)
{
	const struct syscap_profile_process *processes;
	struct syc_map seen = { 0 };
	size_t ignored;
	int r = 0;

	processes = syscap_profile_processes(profile, &pids->n);
	pids->items = calloc(pids->n + 1, sizeof(*pids->items));
	if (pids->items == NULL)
		return -ENOMEM;
	for (size_t i = 0; r >= 0 && i < pids->n; i++) {
		const int32_t pid = processes[i].pid;

		r = syc_map_put(&seen, &pid, sizeof(pid), &ignored);
		pids->items[i] = r > 0 ? pid : FIRST_FREE + (int32_t)i;
	}
	syc_map_fini(&seen);
	if (r < 0) {
		syc_pids_fini(pids);
		return r;
	}
	return 0;
}

void syc_pids_fini(struct syc_pids *pids)
{
	free(pids->items);
	*pids = (struct syc_pids){ 0 };
}
