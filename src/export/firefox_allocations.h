/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * firefox_allocations.h - allocations and frees, as a Firefox profile has them:
 * all of a process below one of its threads, since another may free.
 */
#ifndef SYC_EXPORT_FIREFOX_ALLOCATIONS_H
#define SYC_EXPORT_FIREFOX_ALLOCATIONS_H

#include "data/json.h"
#include "export/export.h"
#include "export/group.h"

struct syc_firefox_allocations {
	const struct syc_export *export;
	const struct syscap_profile_allocation *items;
	size_t heap_stacks; /* number of the first stack that is theirs */
	int64_t *bytes;     /* of each; below 0: given back; 0: left out */
	uint32_t *holders;  /* of each process: the thread; NONE */
	struct syc_group by_process;
};

/** 0 or -ENOMEM.  To be ended in any case. */
int syc_firefox_allocations_init(struct syc_firefox_allocations *allocations,
                                 const struct syc_export *export,
                                 size_t heap_stacks);
void syc_firefox_allocations_fini(struct syc_firefox_allocations *allocations);

/** Are those of its process below @thread? */
bool syc_firefox_allocations_has(
	const struct syc_firefox_allocations *allocations, uint32_t thread);

/** The member "nativeAllocations" of such a thread, times after @begin. */
void syc_firefox_allocations_write(
	const struct syc_firefox_allocations *allocations,
	struct syc_json *json, uint32_t thread, int64_t begin);

#endif
