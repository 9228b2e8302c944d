/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * folded.h - stacks as lines of text: "outermost;...;innermost COUNT".
 *
 *	syc_folded_init(&folded, profile, false);
 *	syc_folded_stack(&folded, out, view, node);
 *	syc_folded_fini(&folded);
 */
#ifndef SYC_EXPORT_FOLDED_H
#define SYC_EXPORT_FOLDED_H

#include <stdbool.h>
#include <stdio.h>

#include <syscap/profile.h>

struct syc_folded {
	/* Of each function, the text to write; the last one ends at n. */
	size_t *begins;
	char *names;
	char *line; /* built from its end */
	size_t capacity;
};

/** With @in_quotes each '"' is doubled. 0 or -ENOMEM; call fini in any case. */
int syc_folded_init(struct syc_folded *folded,
                    const struct syscap_profile *profile, bool in_quotes);
void syc_folded_fini(struct syc_folded *folded);

/** Write the frames from the root to @node, separated by ';'. 0 or -ENOMEM. */
int syc_folded_stack(struct syc_folded *folded, FILE *out,
                     const struct syscap_view *view, uint32_t node);

/** The same for @n nodes, the innermost first. The first function prefetches
 * their names: call it for several stacks before the second. */
void syc_folded_fetch(const struct syc_folded *folded,
                      const struct syscap_view *view, const uint32_t *nodes,
                      size_t n);
int syc_folded_path(struct syc_folded *folded, FILE *out,
                    const struct syscap_view *view, const uint32_t *nodes,
                    size_t n);

/** Write all stacks in the order of the tree. 0 or -ENOMEM. */
int syc_folded_write(FILE *out, const struct syscap_profile *profile,
                     const struct syscap_view *view);

#endif
