/* SPDX-License-Identifier: BSD-2-Clause */
/* view_lines.c - where functions are in the source: their hottest lines. */
#include <errno.h>
#include <stdlib.h>

#include <syscap/profile.h>

#include "data/array.h"
#include "data/map.h"

#define NONE SYSCAP_PROFILE_NONE

struct place {
	uint32_t function, line;
};

struct totals {
	struct syc_map places;
	SYC_ARRAY(uint64_t) sums; /* of each place */
};

static int add_up(struct totals *totals, const struct syscap_view *view)
{
	size_t number;
	int r = 0;

	for (size_t i = 1; r >= 0 && i < view->n_nodes; i++) {
		const struct place place = { view->functions[i],
			                     view->lines[i] };

		if (place.line == NONE)
			continue;
		r = syc_map_put(&totals->places, &place, sizeof(place),
		                &number);
		if (r > 0)
			r = syc_array_push(&totals->sums, 0);
		if (r >= 0)
			totals->sums.items[number] += view->totals[i];
	}
	return r < 0 ? r : 0;
}

static int choose(const struct totals *totals, size_t n_functions,
                  uint32_t *lines)
{
	uint64_t *most = calloc(n_functions + 1, sizeof(*most));

	if (most == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < totals->sums.n; i++) {
		const struct place *place = totals->places.keys[i].bytes;

		/* Equal ones: the one that was met first. */
		if (totals->sums.items[i] <= most[place->function])
			continue;
		most[place->function] = totals->sums.items[i];
		lines[place->function] = place->line;
	}
	free(most);
	return 0;
}

int syscap_view_hottest_lines(const struct syscap_profile *profile,
                              const struct syscap_view *view,
                              uint32_t *ret_lines)
{
	struct totals totals = { 0 };
	size_t n;
	int r = 0;

	syscap_profile_functions(profile, &n);
	for (size_t i = 0; i < n; i++)
		ret_lines[i] = NONE;
	if (view->lines != NULL)
		r = add_up(&totals, view);
	if (r == 0)
		r = choose(&totals, n, ret_lines);
	syc_map_fini(&totals.places);
	free(totals.sums.items);
	return r;
}
