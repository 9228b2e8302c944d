/* SPDX-License-Identifier: BSD-2-Clause */
/* test_preorder.c - the order in which a page holds a tree. */
#include <stdlib.h>

#include "harness/test.h"
#include "report/writer.h"

TEST(callees_follow_their_caller_the_largest_first)
{
	/* 0 -> 1 (5), 2 (9); 1 -> 3 (5); 2 -> 4 (2), 5 (7) */
	const uint32_t parents[] = { SYSCAP_PROFILE_NONE, 0, 0, 1, 2, 2 };
	const uint32_t functions[] = { 0, 10, 11, 12, 13, 14 };
	const uint64_t totals[] = { 14, 5, 9, 5, 2, 7 };
	const uint32_t nodes[] = { 0, 2, 5, 4, 1, 3 };
	const uint32_t depths[] = { 0, 1, 2, 2, 1, 2 };
	const struct syscap_view view = { .n_nodes = 6,
		                          .parents = parents,
		                          .functions = functions,
		                          .totals = totals };
	struct syc_preorder order;

	CHECK_EQ(syc_preorder_init(&order, &view), 0);
	CHECK_EQ(order.n, 6);
	for (unsigned i = 0; i < 6; i++) {
		CHECK_EQ(order.nodes[i], nodes[i]);
		CHECK_EQ(order.depths[i], depths[i]);
		CHECK_EQ(order.numbers[nodes[i]], i);
	}
	syc_preorder_fini(&order);
}

TEST(deep_stack_without_recursion)
{
	const uint32_t n = 1000000;
	uint32_t *parents = calloc(n, sizeof(*parents));
	uint32_t *functions = calloc(n, sizeof(*functions));
	uint64_t *totals = calloc(n, sizeof(*totals));
	const struct syscap_view view = { .n_nodes = n,
		                          .parents = parents,
		                          .functions = functions,
		                          .totals = totals };
	struct syc_preorder order;

	parents[0] = SYSCAP_PROFILE_NONE;
	for (uint32_t i = 1; i < n; i++)
		parents[i] = i - 1;
	CHECK_EQ(syc_preorder_init(&order, &view), 0);
	CHECK_EQ(order.depths[n - 1], n - 1);
	syc_preorder_fini(&order);
	free(parents);
	free(functions);
	free(totals);
}

TEST(empty_tree_is_its_root)
{
	const uint32_t parents[] = { SYSCAP_PROFILE_NONE };
	const uint32_t functions[] = { 0 };
	const uint64_t totals[] = { 0 };
	const struct syscap_view view = { .n_nodes = 1,
		                          .parents = parents,
		                          .functions = functions,
		                          .totals = totals };
	struct syc_preorder order;

	CHECK_EQ(syc_preorder_init(&order, &view), 0);
	CHECK_EQ(order.n, 1);
	CHECK_EQ(order.depths[0], 0);
	syc_preorder_fini(&order);
}
