/* SPDX-License-Identifier: BSD-2-Clause */
/* missing_arenas.h - processes that made an arena and whose arena did not come:
 * it is late, or lost. */
#ifndef SYC_RECORD_MISSING_ARENAS_H
#define SYC_RECORD_MISSING_ARENAS_H

#include <stdbool.h>
#include <stdint.h>

#include "data/array.h"

/** A process of that kind. */
struct syc_arena_missing {
	int32_t pid;
	int n_late;   /* of which it told, less those that came since */
	bool is_lost; /* one that never will */
};

/** All zero: none. */
struct syc_missing_arenas {
	SYC_ARRAY(struct syc_arena_missing) all;
};

void syc_missing_arenas_free(struct syc_missing_arenas *arenas);

/** @pid has an arena that it can't hand over yet: one @more, or one less. */
void syc_missing_arenas_note_late(struct syc_missing_arenas *arenas,
                                  int32_t pid, int more);

/** @pid could not hand its arena over. */
void syc_missing_arenas_note_lost(struct syc_missing_arenas *arenas,
                                  int32_t pid);

/** Whether one of @pid did not come. */
bool syc_missing_arenas_has(const struct syc_missing_arenas *arenas,
                            int32_t pid);

/** How many processes there are of that kind. */
unsigned syc_missing_arenas_count(const struct syc_missing_arenas *arenas);

#endif
