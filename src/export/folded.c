/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * folded.c - stacks as lines of text.
 *
 * Millions of stacks have few functions, so the writer prepares names once.
 * The writer builds a line from its end, because a node refers only to its
 * parent.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "export/stacks.h"

#define FIRST_LINE 4096u

/* The mark of stackcollapse-perf.pl for inlined functions, which flamegraph.pl
 * colours. */
#define INLINED "_[i]"

/*
 * Write a name without ';', which ends a frame, to @to.  If @to is NULL, only
 * count.
 */
static size_t put_name(char *to, const struct syscap_profile_function *function,
                       bool in_quotes)
{
	size_t n = 0;

	for (const char *at = function->name; *at != 0; at++) {
		const bool is_double = in_quotes && *at == '"';

		if (to != NULL) {
			to[n] = *at == ';' ? ':' : *at;
			to[n + is_double] = to[n];
		}
		n += 1u + is_double;
	}
	if (function->is_inlined) {
		if (to != NULL)
			memcpy(to + n, INLINED, strlen(INLINED));
		n += strlen(INLINED);
	}
	return n;
}

int syc_folded_init(struct syc_folded *folded,
                    const struct syscap_profile *profile, bool in_quotes)
{
	const struct syscap_profile_function *functions;
	size_t n, size = 0;

	functions = syscap_profile_functions(profile, &n);
	for (size_t i = 0; i < n; i++)
		size += put_name(NULL, &functions[i], in_quotes);
	*folded = (struct syc_folded){
		.begins = malloc((n + 1) * sizeof(*folded->begins)),
		.names = malloc(size + 1),
		.line = malloc(FIRST_LINE),
		.capacity = FIRST_LINE,
	};
	if (folded->begins == NULL || folded->names == NULL ||
	    folded->line == NULL)
		return -ENOMEM;
	size = 0;
	for (size_t i = 0; i < n; i++) {
		folded->begins[i] = size;
		size += put_name(folded->names + size, &functions[i],
		                 in_quotes);
	}
	folded->begins[n] = size;
	return 0;
}

void syc_folded_fini(struct syc_folded *folded)
{
	free(folded->begins);
	free(folded->names);
	free(folded->line);
}

/* The existing text stays at the end. */
static int grow_line(struct syc_folded *folded, size_t used, size_t more)
{
	const size_t capacity = 2 * (folded->capacity + more);
	char *line = malloc(capacity);

	if (line == NULL)
		return -ENOMEM;
	memcpy(line + capacity - used, folded->line + folded->capacity - used,
	       used);
	free(folded->line);
	folded->line = line;
	folded->capacity = capacity;
	return 0;
}

/* Prepend @function to the existing frames. */
static int put_frame(struct syc_folded *folded, uint32_t function, size_t *used)
{
	const size_t *begin = &folded->begins[function];
	const size_t len = begin[1] - begin[0];

	if (folded->capacity - *used < len + 1 &&
	    grow_line(folded, *used, len) < 0)
		return -ENOMEM;
	if (*used > 0)
		folded->line[folded->capacity - ++*used] = ';';
	*used += len;
	memcpy(folded->line + folded->capacity - *used,
	       folded->names + begin[0], len);
	return 0;
}

static void write_line(const struct syc_folded *folded, size_t used, FILE *out)
{
	fwrite_unlocked(folded->line + folded->capacity - used, 1, used, out);
}

int syc_folded_stack(struct syc_folded *folded, FILE *out,
                     const struct syscap_view *view, uint32_t node)
{
	size_t used = 0;

	for (; node != 0; node = view->parents[node])
		if (put_frame(folded, view->functions[node], &used) < 0)
			return -ENOMEM;
	write_line(folded, used, out);
	return 0;
}

void syc_folded_fetch(const struct syc_folded *folded,
                      const struct syscap_view *view, const uint32_t *nodes,
                      size_t n)
{
	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&folded->begins[view->functions[nodes[i]]]);
	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(folded->names +
		                   folded->begins[view->functions[nodes[i]]]);
}

int syc_folded_path(struct syc_folded *folded, FILE *out,
                    const struct syscap_view *view, const uint32_t *nodes,
                    size_t n)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		if (put_frame(folded, view->functions[nodes[i]], &used) < 0)
			return -ENOMEM;
	write_line(folded, used, out);
	return 0;
}

int syc_folded_write(FILE *out, const struct syscap_profile *profile,
                     const struct syscap_view *view)
{
	struct syc_folded folded;
	int r = syc_folded_init(&folded, profile, false);

	for (uint32_t i = 1; r == 0 && i < view->n_nodes; i++) {
		if (view->selfs[i] == 0)
			continue;
		r = syc_folded_stack(&folded, out, view, i);
		fprintf(out, " %" PRIu64 "\n", view->selfs[i]);
	}
	syc_folded_fini(&folded);
	return r;
}

int syc_export_folded(struct syc_export *export)
{
	return syc_folded_write(export->out, export->profile, export->view);
}
