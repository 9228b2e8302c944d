/* SPDX-License-Identifier: BSD-2-Clause */
/* folded.c - stacks as lines. */
#define _GNU_SOURCE
#include "export/folded.h"

#include <inttypes.h>
#include <string.h>

#include "export/export.h"

#define PART 128u /* most stacks are no deeper */

/* As stackcollapse-perf.pl marks what was inlined, and flamegraph.pl colours. */
#define INLINED "_[i]"

/* ';' ends a frame, so none may stand in a name. */
static void write_name(FILE *out, const char *name, bool in_quotes)
{
	for (;;) {
		size_t run = (size_t)(strchrnul(name, ';') - name);
		const char *quote = in_quotes ? memchr(name, '"', run) : NULL;

		if (quote != NULL)
			run = (size_t)(quote - name);
		fwrite_unlocked(name, 1, run, out);
		name += run;
		if (*name == 0)
			return;
		fputs_unlocked(*name == ';' ? ":" : "\"\"", out);
		name++;
	}
}

/* The nodes of a part of a stack, from the outermost: the memory of all names
 * is asked for before the first is waited for. */
static void write_part(FILE *out, const struct syscap_profile *profile,
                       const struct syscap_view *view, const uint32_t *nodes,
                       uint32_t n, bool is_first, bool in_quotes)
{
	const struct syscap_profile_function *functions[PART];

	for (uint32_t i = 0; i < n; i++) {
		functions[i] = syscap_profile_function(
			profile, view->functions[nodes[i]]);
		__builtin_prefetch(functions[i]->name);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!is_first || i > 0)
			putc_unlocked(';', out);
		write_name(out, functions[i]->name, in_quotes);
		if (functions[i]->is_inlined)
			fputs_unlocked(INLINED, out);
	}
}

void syc_folded_stack(FILE *out, const struct syscap_profile *profile,
                      const struct syscap_view *view, uint32_t node,
                      bool in_quotes)
{
	/* From the leaf there is only the way up: where it does not fit, it is
	 * gone again for each part. */
	uint32_t part[PART];
	uint32_t depth = 0, n;

	for (uint32_t at = node; at != 0; at = view->parents[at])
		part[PART - 1 - depth++ % PART] = at;
	if (depth <= PART) {
		write_part(out, profile, view, part + PART - depth, depth, true,
		           in_quotes);
		return;
	}
	for (uint32_t done = 0; done < depth; done += n) {
		const uint32_t left = depth - done;
		uint32_t at = node;

		n = left < PART ? left : PART;
		for (uint32_t i = left; i > n; i--)
			at = view->parents[at];
		for (uint32_t i = n; i > 0; i--, at = view->parents[at])
			part[i - 1] = at;
		write_part(out, profile, view, part, n, done == 0, in_quotes);
	}
}

void syc_folded_write(FILE *out, const struct syscap_profile *profile,
                      const struct syscap_view *view)
{
	for (size_t i = 1; i < view->n_nodes; i++) {
		if (view->selfs[i] == 0)
			continue;
		syc_folded_stack(out, profile, view, (uint32_t)i, false);
		fprintf(out, " %" PRIu64 "\n", view->selfs[i]);
	}
}

int syc_export_folded(struct syc_export *export)
{
	syc_folded_write(export->out, export->profile, export->view);
	return 0;
}
