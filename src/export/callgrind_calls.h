/* SPDX-License-Identifier: BSD-2-Clause */
/* callgrind_calls.h - what each function called, and what that cost. */
#ifndef SYC_EXPORT_CALLGRIND_CALLS_H
#define SYC_EXPORT_CALLGRIND_CALLS_H

#include "data/array.h"
#include "export/export.h"
#include "export/group.h"

struct syc_call {
	uint32_t callee;
	uint32_t line; /* of the caller; its number + 1, or 0 */
	uint64_t cost;
	uint64_t n_ways; /* how many different stacks make it */
};

struct syc_calls {
	const struct syscap_view *view;
	uint64_t *is_outermost; /* bits, by node */
	/* Nodes by the function that they are called by; where there are
	 * lines by their own, too. */
	struct syc_group by_caller, by_function;
	/* What was asked for last: by callee, by line. */
	SYC_ARRAY(struct syc_call) found;
};

/** 0 or -ENOMEM.  To be ended in any case. */
int syc_calls_init(struct syc_calls *calls, const struct syc_export *export);
void syc_calls_fini(struct syc_calls *calls);

/** The calls that @function makes are @found then.  0 or -ENOMEM. */
int syc_calls_find(struct syc_calls *calls, uint32_t function);

/** Where there are lines: what those of @function took themselves, as calls of
 * nothing.  0 or -ENOMEM. */
int syc_calls_find_selfs(struct syc_calls *calls, uint32_t function);

/** The line of a node: its number + 1, or 0. */
uint32_t syc_calls_line(const struct syscap_view *view, uint32_t node);

#endif
