/* SPDX-License-Identifier: BSD-2-Clause */
/* stat_tree.c - who called what, with what it took, as an indented list. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/printable.h"
#include "cli/stat_hot.h"
#include "cli/table.h"

/* Deeper levels are no further to the right; the number tells. */
#define MOST_INDENT 32u

struct child {
	uint64_t total;
	uint32_t node;
};

/* Of each node, its children next to each other, the largest first. */
struct tree {
	const struct syc_stat_hot *hot;
	struct child *children;
	size_t *first; /* of each node; one more for the end */
	uint64_t least;
};

static int compare(const void *left, const void *right)
{
	const struct child *a = left, *b = right;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static int sort_children(struct tree *tree)
{
	const struct syscap_view *view = tree->hot->view;
	const size_t n = view->n_nodes;
	size_t *at = calloc(n + 1, sizeof(*at));

	tree->first = calloc(n + 1, sizeof(*tree->first));
	tree->children = calloc(n, sizeof(*tree->children));
	if (at == NULL || tree->first == NULL || tree->children == NULL) {
		free(at);
		return -ENOMEM;
	}
	for (size_t i = 1; i < n; i++)
		tree->first[view->parents[i] + 1]++;
	for (size_t i = 1; i <= n; i++)
		tree->first[i] += tree->first[i - 1];
	memcpy(at, tree->first, n * sizeof(*at));
	for (size_t i = 1; i < n; i++)
		tree->children[at[view->parents[i]]++] =
			(struct child){ view->totals[i], (uint32_t)i };
	free(at);
	for (size_t i = 0; i < n; i++)
		if (tree->first[i + 1] - tree->first[i] > 1)
			qsort(tree->children + tree->first[i],
			      tree->first[i + 1] - tree->first[i],
			      sizeof(*tree->children), compare);
	return 0;
}

static void print_node(const struct tree *tree, uint32_t node, unsigned indent)
{
	const struct syscap_view *view = tree->hot->view;
	const struct syscap_profile_function *function =
		syscap_profile_function(tree->hot->profile,
	                                view->functions[node]);
	char total[64], self[64] = "", name[300];

	syc_stat_hot_format(view->unit, view->totals[node], total,
	                    sizeof(total));
	if (view->selfs[node] > 0)
		syc_stat_hot_format(view->unit, view->selfs[node], self,
		                    sizeof(self));
	syc_stat_hot_name(tree->hot, view->functions[node], name, sizeof(name));
	printf("  %12s  %5.1f %%  %12s  %*s", total,
	       100 * (double)view->totals[node] / (double)view->total, self,
	       (int)(indent < MOST_INDENT ? indent : MOST_INDENT), "");
	syc_printable_write(stdout, name, false);
	if (function->binary[0] != 0) {
		fputs("  (", stdout);
		syc_printable_write(stdout, function->binary, false);
		putchar(')');
	}
	putchar('\n');
}

/* To children before siblings, without recursion: stacks can be deep. */
static int print_all(const struct tree *tree)
{
	struct {
		size_t at, end;
		unsigned indent;
	} * open, *top;
	size_t depth = 1;

	open = calloc(tree->hot->view->n_nodes + 1, sizeof(*open));
	if (open == NULL)
		return -ENOMEM;
	open[0].end = tree->first[1];
	while (depth > 0) {
		top = &open[depth - 1];
		if (top->at == top->end ||
		    tree->children[top->at].total < tree->least) {
			depth--;
			continue;
		}
		const uint32_t node = tree->children[top->at++].node;
		print_node(tree, node, top->indent);
		open[depth].at = tree->first[node];
		open[depth].end = tree->first[node + 1];
		open[depth].indent = top->indent + 1;
		depth++;
	}
	free(open);
	return 0;
}

int syc_stat_tree_text(const struct syc_stat_hot *hot)
{
	struct tree tree = {
		.hot = hot,
		.least = (uint64_t)((double)hot->view->total *
		                    hot->min_percent / 100),
	};
	int r;

	syc_table_heading(stdout, "Call tree, of what took %.3g %% or more",
	                  hot->min_percent);
	printf("  %12s  %7s  %12s  function\n", "total", "", "self");
	r = sort_children(&tree);
	if (r == 0)
		r = print_all(&tree);
	free(tree.children);
	free(tree.first);
	return r;
}
