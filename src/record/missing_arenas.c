/* SPDX-License-Identifier: BSD-2-Clause */
/* missing_arenas.c - processes whose arenas did not come. */
#include "record/missing_arenas.h"

#include <stdlib.h>

#define MISSING_MAX 65536u

void syc_missing_arenas_free(struct syc_missing_arenas *arenas)
{
	free(arenas->all.items);
}

static struct syc_arena_missing *
find_missing(const struct syc_missing_arenas *arenas, int32_t pid)
{
	for (size_t i = 0; i < arenas->all.n; i++)
		if (arenas->all.items[i].pid == pid)
			return &arenas->all.items[i];
	return NULL;
}

/* NULL: too many. */
static struct syc_arena_missing *get_missing(struct syc_missing_arenas *arenas,
                                             int32_t pid)
{
	struct syc_arena_missing *const found = find_missing(arenas, pid);

	if (found != NULL || arenas->all.n >= MISSING_MAX ||
	    syc_array_push(&arenas->all,
	                   ((struct syc_arena_missing){ .pid = pid })) != 0)
		return found;
	return &arenas->all.items[arenas->all.n - 1];
}

static bool is_missing(const struct syc_arena_missing *missing)
{
	return missing->is_lost || missing->n_late > 0;
}

void syc_missing_arenas_note_late(struct syc_missing_arenas *arenas,
                                  int32_t pid, int more)
{
	struct syc_arena_missing *const missing = get_missing(arenas, pid);

	if (missing == NULL)
		return;
	missing->n_late += more;
	if (missing->n_late == 0 && !missing->is_lost)
		*missing = arenas->all.items[--arenas->all.n];
}

void syc_missing_arenas_note_lost(struct syc_missing_arenas *arenas,
                                  int32_t pid)
{
	struct syc_arena_missing *const missing = get_missing(arenas, pid);

	/* Who says it twice is one */
	if (missing != NULL)
		missing->is_lost = true;
}

bool syc_missing_arenas_has(const struct syc_missing_arenas *arenas,
                            int32_t pid)
{
	const struct syc_arena_missing *const missing =
		find_missing(arenas, pid);

	return missing != NULL && is_missing(missing);
}

unsigned syc_missing_arenas_count(const struct syc_missing_arenas *arenas)
{
	unsigned n = 0;

	for (size_t i = 0; i < arenas->all.n; i++)
		n += is_missing(&arenas->all.items[i]);
	return n;
}
