/* SPDX-License-Identifier: BSD-2-Clause */
/* linked.c - operations and arrows of a view. */
#define _GNU_SOURCE
#include "export/linked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE SYSCAP_PROFILE_NONE

struct look {
	const struct syscap_view *view;
	const struct syscap_profile *profile;
	const struct syscap_profile_part *parts;
	size_t n_parts;
};

static bool has_mark(const struct look *look, uint32_t number)
{
	const struct syscap_profile_mark mark =
		syscap_profile_mark(look->profile, number);

	return syscap_view_has(look->view, mark.thread, mark.time);
}

static int by_time(const void *one, const void *other, void *data)
{
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;
	const int64_t time_a = syscap_profile_mark(data, a).time;
	const int64_t time_b = syscap_profile_mark(data, b).time;

	if (time_a != time_b)
		return time_a < time_b ? -1 : 1;
	return (a > b) - (a < b);
}

/* begins[i + 1] counts up to where operation i's steps end: see children.c. */
static void sort_steps(struct syc_linked *linked, const struct look *look)
{
	for (size_t i = 0; i < look->n_parts; i++)
		if (look->parts[i].phase == SYSCAP_PHASE_STEP &&
		    look->parts[i].operation != NONE)
			linked->begins[look->parts[i].operation + 2]++;
	for (size_t i = 2; i < linked->n_operations + 2; i++)
		linked->begins[i] += linked->begins[i - 1];
	for (size_t i = 0; i < look->n_parts; i++)
		if (look->parts[i].phase == SYSCAP_PHASE_STEP &&
		    look->parts[i].operation != NONE)
			linked->steps[linked->begins[look->parts[i].operation +
			                             1]++] =
				look->parts[i].mark;
	for (size_t i = 0; i < linked->n_operations; i++)
		qsort_r(linked->steps + linked->begins[i],
		        linked->begins[i + 1] - linked->begins[i],
		        sizeof(*linked->steps), by_time, (void *)look->profile);
}

static int by_mark(const void *one, const void *other)
{
	const struct syc_flow *a = one, *b = other;

	if (a->mark != b->mark)
		return a->mark < b->mark ? -1 : 1;
	return (a->arrow > b->arrow) - (a->arrow < b->arrow);
}

static void find_flows(struct syc_linked *linked, const struct look *look)
{
	for (size_t i = 0; i < linked->n_arrows; i++) {
		const struct syscap_profile_arrow *arrow = &linked->arrows[i];

		linked->has_arrow[i] =
			has_mark(look, arrow->out) && has_mark(look, arrow->in);
		if (!linked->has_arrow[i])
			continue;
		linked->flows[linked->n_flows++] =
			(struct syc_flow){ arrow->out, (uint32_t)i, false };
		linked->flows[linked->n_flows++] =
			(struct syc_flow){ arrow->in, (uint32_t)i, true };
	}
	qsort(linked->flows, linked->n_flows, sizeof(*linked->flows), by_mark);
}

int syc_linked_init(struct syc_linked *linked,
                    const struct syscap_profile *profile,
                    const struct syscap_view *view)
{
	struct look look = { .view = view, .profile = profile };

	*linked = (struct syc_linked){ 0 };
	look.parts = syscap_profile_parts(profile, &look.n_parts);
	linked->operations =
		syscap_profile_operations(profile, &linked->n_operations);
	linked->arrows = syscap_profile_arrows(profile, &linked->n_arrows);
	linked->has_operation = calloc(linked->n_operations + 1, 1);
	linked->has_arrow = calloc(linked->n_arrows + 1, 1);
	linked->begins =
		calloc(linked->n_operations + 2, sizeof(*linked->begins));
	linked->steps = calloc(look.n_parts + 1, sizeof(*linked->steps));
	linked->flows =
		calloc(2 * linked->n_arrows + 1, sizeof(*linked->flows));
	if (linked->has_operation == NULL || linked->has_arrow == NULL ||
	    linked->begins == NULL || linked->steps == NULL ||
	    linked->flows == NULL) {
		syc_linked_fini(linked);
		return -ENOMEM;
	}
	for (size_t i = 0; i < look.n_parts; i++)
		if (look.parts[i].operation != NONE &&
		    has_mark(&look, look.parts[i].mark))
			linked->has_operation[look.parts[i].operation] = 1;
	sort_steps(linked, &look);
	find_flows(linked, &look);
	return 0;
}

void syc_linked_fini(struct syc_linked *linked)
{
	free(linked->has_operation);
	free(linked->has_arrow);
	free(linked->begins);
	free(linked->steps);
	free(linked->flows);
	*linked = (struct syc_linked){ 0 };
}

const struct syc_flow *syc_linked_flows(const struct syc_linked *linked,
                                        uint32_t mark)
{
	size_t low = 0, high = linked->n_flows;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (linked->flows[middle].mark < mark)
			low = middle + 1;
		else
			high = middle;
	}
	return low < linked->n_flows && linked->flows[low].mark == mark
	               ? &linked->flows[low]
	               : NULL;
}

bool syc_linked_is_same(const struct syc_linked *linked,
                        const struct syscap_profile *profile, size_t one,
                        size_t other)
{
	const struct syscap_profile_operation *a = &linked->operations[one];
	const struct syscap_profile_operation *b = &linked->operations[other];
	const struct syscap_profile_mark_name *names;
	size_t ignored;

	names = syscap_profile_mark_names(profile, &ignored);
	/* A whole stands for itself, whatever its id is. */
	return a->process == b->process && a->id == b->id &&
	       (a->begin != a->end && b->begin != b->end) &&
	       strcmp(names[a->name].group, names[b->name].group) == 0;
}
