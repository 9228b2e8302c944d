/* SPDX-License-Identifier: BSD-2-Clause */
/* folded.c - stacks as lines. */
#define _GNU_SOURCE
#include "export/folded.h"

#include <inttypes.h>
#include <string.h>

#include "export/export.h"

/* ';' ends a frame, so none may stand in a name. */
static void write_name(FILE *out, const char *name, bool in_quotes)
{
	const char *const special = in_quotes ? ";\"" : ";";

	for (;;) {
		const size_t run = strcspn(name, special);

		fwrite_unlocked(name, 1, run, out);
		name += run;
		if (*name == 0)
			return;
		fputs_unlocked(*name == ';' ? ":" : "\"\"", out);
		name++;
	}
}

void syc_folded_stack(FILE *out, const struct syscap_profile *profile,
                      const struct syscap_view *view, uint32_t node,
                      bool in_quotes)
{
	/* From the leaf there is only the way up: it is gone again for each
	 * frame of a part, whose nodes are kept. */
	uint32_t part[64];
	uint32_t depth = 0, n;

	for (uint32_t at = node; at != 0; at = view->parents[at])
		depth++;
	for (uint32_t done = 0; done < depth; done += n) {
		const uint32_t left = depth - done;
		uint32_t at = node;

		n = left < 64 ? left : 64;
		for (uint32_t i = left; i > n; i--)
			at = view->parents[at];
		for (uint32_t i = n; i > 0; i--, at = view->parents[at])
			part[i - 1] = at;
		for (uint32_t i = 0; i < n; i++) {
			if (done + i > 0)
				putc_unlocked(';', out);
			write_name(out,
			           syscap_profile_function(
					   profile, view->functions[part[i]])
			                   ->name,
			           in_quotes);
		}
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
