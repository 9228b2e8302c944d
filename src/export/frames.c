/* SPDX-License-Identifier: BSD-2-Clause */
/* frames.c - what the frames of stacks are: functions, perhaps at lines. */
#define _GNU_SOURCE
#include "export/frames.h"

#include <errno.h>
#include <stdlib.h>

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
