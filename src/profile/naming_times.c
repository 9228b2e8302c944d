/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * naming_times.c - code that came and went.
 *
 * A location was named by what was at its address when it was met first.
 * Where another function may have been there later (JIT compilers use memory
 * again, libraries are unloaded), stacks are asked for once more at their own
 * time, and go through another location if it was another function.
 */
#include "profile/naming_times.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int syc_again_begin(struct syc_again *again, struct syc_naming *naming,
                    const struct syc_who *who, struct syc_stacks *stacks)
{
	const size_t n = stacks->nodes.n;

	memset(again, 0, sizeof(*again));
	again->naming = naming;
	again->who = who;
	again->stacks = stacks;
	if (naming->symbols == NULL || naming->has_table || naming->is_partial)
		return 0;
	again->varies = calloc(n, 1);
	if (again->varies == NULL)
		return -ENOMEM;
	for (size_t i = 1; i < n; i++) {
		const struct syc_location_facts *place =
			&stacks->places.items[stacks->nodes.items[i]];

		again->varies[i] = again->varies[stacks->parents.items[i]] ||
		                   place->may_vary;
		if (again->varies[i])
			again->n = n;
	}
	return 0;
}

void syc_again_end(struct syc_again *again)
{
	free(again->varies);
	free(again->path.items);
}

/* The innermost first. */
static int collect_path(struct syc_again *again, uint32_t stack)
{
	again->path.n = 0;
	for (; stack != 0; stack = again->stacks->parents.items[stack])
		if (syc_array_push(&again->path, stack) < 0)
			return -ENOMEM;
	return 0;
}

static int go_on(struct syc_again *again, struct syc_way *way, uint32_t node,
                 int64_t time)
{
	struct syc_stacks *stacks = again->stacks;
	const uint32_t location = stacks->nodes.items[node];
	uint32_t function = stacks->locations.items[location].function;

	if (stacks->places.items[location].may_vary &&
	    syc_naming_ask(again->naming, again->who, stacks, location, time,
	                   &function) < 0)
		return -ENOMEM;
	return syc_stacks_go_on(stacks, way, node, function, time);
}

int syc_again_look(struct syc_again *again, uint32_t *stack, int64_t time)
{
	struct syc_way way = { 0 };

	if (*stack >= again->n || !again->varies[*stack])
		return 0;
	if (collect_path(again, *stack) < 0)
		return -ENOMEM;
	for (size_t i = again->path.n; i-- > 0;)
		if (go_on(again, &way, again->path.items[i], time) < 0)
			return -ENOMEM;
	*stack = way.node;
	return 0;
}
