/* SPDX-License-Identifier: BSD-2-Clause */
/* everywhere.c - threads that emit through all copies; see everywhere.h. */
#include "copies/everywhere.h"

#include <pthread.h>

#include "harness/test.h"

static const struct part *parts[PARTS_ALL];
static unsigned first_part;

void everywhere_load(const struct part *ret_parts[PARTS_ALL], const char *first)
{
	parts_load_all(parts);
	for (unsigned i = 0; i < PARTS_ALL; i++)
		ret_parts[i] = parts[i];
	first_part = *first == '\0' ? 0 : (unsigned)(*first - '0');
}

void everywhere_emit(unsigned emitter)
{
	for (unsigned i = 0; i < PARTS_ALL; i++) {
		const struct part *const part =
			parts[(first_part + i) % PARTS_ALL];

		parts_emit(part, emitter, 0, EVERYWHERE_EVENTS);
		part->stack(part->intern("the same"));
		part->stack(part->intern(part->name));
	}
}

static void *emit(void *number)
{
	everywhere_emit((unsigned)(uintptr_t)number);
	return NULL;
}

void everywhere_run_threads(unsigned first)
{
	pthread_t threads[EVERYWHERE_THREADS];

	for (uintptr_t i = 0; i < EVERYWHERE_THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, emit,
		                        (void *)(first + i)),
		         0);
	for (unsigned i = 0; i < EVERYWHERE_THREADS; i++)
		pthread_join(threads[i], NULL);
}

void everywhere_check(struct census *census, const char *path, unsigned first,
                      unsigned n_names)
{
	census_of_file(census, path);
	for (unsigned i = 0; i < PARTS_ALL; i++) {
		const char *const name = parts_name(i);

		for (unsigned t = first; t < first + EVERYWHERE_THREADS; t++) {
			CHECK_EQ(census_marks(census, name, t),
			         EVERYWHERE_EVENTS);
			CHECK_EQ(census_logs(census, name, t),
			         EVERYWHERE_EVENTS);
		}
	}
	CHECK_EQ(census_marks(census, "a", 9), 0);
	CHECK_EQ(census->n_lost, 0);
	CHECK_EQ(census->n_counters, PARTS_ALL);
	CHECK_EQ(census->n_names, PARTS_ALL + 1 + n_names);
}
