/* SPDX-License-Identifier: BSD-2-Clause */
/* test_map.c - the map from keys to consecutive numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers.h"
#include "harness/test.h"

TEST(keys_are_numbered_in_the_order_they_come_and_found_again)
{
	struct syc_map map = { 0 };
	size_t number;
	char key[32];

	CHECK(!syc_map_get(&map, "x", 1, &number));
	for (size_t i = 0; i < 100000; i++) {
		const int len = snprintf(key, sizeof(key), "key %zu", i * i);

		CHECK_EQ(syc_map_put(&map, key, (size_t)len, &number), 1);
		CHECK_EQ(number, i);
	}
	for (size_t i = 0; i < 100000; i++) {
		const int len = snprintf(key, sizeof(key), "key %zu", i * i);

		CHECK_EQ(syc_map_put(&map, key, (size_t)len, &number), 0);
		CHECK_EQ(number, i);
		CHECK(syc_map_get(&map, key, (size_t)len, &number));
		CHECK_EQ(number, i);
	}
	CHECK(!syc_map_get(&map, "key 2", 5, &number));
	CHECK_EQ(map.n, 100000);
	syc_map_fini(&map);
	CHECK_EQ(map.n, 0);
}

TEST(keys_differ_by_length_and_by_bytes_behind_a_nul)
{
	struct syc_map map = { 0 };
	size_t number;

	CHECK_EQ(syc_map_put(&map, "", 0, &number), 1);
	CHECK_EQ(syc_map_put(&map, "a", 1, &number), 1);
	CHECK_EQ(syc_map_put(&map, "a\0", 2, &number), 1);
	CHECK_EQ(syc_map_put(&map, "a\0b", 3, &number), 1);
	CHECK_EQ(syc_map_put(&map, "a\0c", 3, &number), 1);
	CHECK_EQ(number, 4);
	CHECK_EQ(syc_map_put(&map, "", 0, &number), 0);
	CHECK_EQ(number, 0);
	syc_map_fini(&map);
}

TEST(a_key_may_be_longer_than_a_block_and_is_copied)
{
	const size_t len = 300000;
	struct syc_map map = { 0 };
	size_t number;
	char *key = malloc(len);

	memset(key, 'x', len);
	CHECK_EQ(syc_map_put(&map, key, len, &number), 1);
	CHECK_EQ(syc_map_put(&map, key, len - 1, &number), 1);
	memset(key, 'y', len);
	CHECK_EQ(syc_map_put(&map, key, len, &number), 1);
	memset(key, 'x', len);
	CHECK_EQ(syc_map_put(&map, key, len, &number), 0);
	CHECK_EQ(number, 0);
	free(key);
	syc_map_fini(&map);
}
