/* SPDX-License-Identifier: BSD-2-Clause */
/* test_pack.c - base64 of deflated bytes. columns.sh tests the content of the
 * bytes. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/test.h"
#include "report/writer.h"

static char *text;
static size_t size;

static void pack_runs(const char *bytes, size_t n, size_t step, unsigned runs)
{
	FILE *out = open_memstream(&text, &size);
	struct syc_pack pack;

	syc_pack_init(&pack, out);
	for (unsigned run = 0; run < runs; run++) {
		CHECK_EQ(syc_pack_begin(&pack), 0);
		for (size_t at = 0; at < n; at += step)
			CHECK_EQ(syc_pack_add(&pack, bytes + at,
			                      n - at < step ? n - at : step),
			         0);
		CHECK_EQ(syc_pack_end(&pack), 0);
	}
	CHECK_EQ(fclose(out), 0);
	CHECK_EQ(pack.written, size);
	syc_pack_fini(&pack);
}

TEST(output_is_base64_only)
{
	char bytes[3000];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * i);
	for (size_t n = 0; n < sizeof(bytes); n += 97) {
		pack_runs(bytes, n, 1000, 1);
		CHECK_EQ(size % 4, 0);
		CHECK_EQ(strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm"
		                      "nopqrstuvwxyz0123456789+/="),
		         size);
		free(text);
	}
}

TEST(runs_are_independent)
{
	static const char bytes[] = "the same, and the same, and the same";
	char *once;

	pack_runs(bytes, sizeof(bytes), sizeof(bytes), 1);
	once = text;
	pack_runs(bytes, sizeof(bytes), sizeof(bytes), 2);
	CHECK_EQ(size, 2 * strlen(once));
	CHECK(memcmp(text, once, strlen(once)) == 0);
	CHECK(memcmp(text + strlen(once), once, strlen(once)) == 0);
	free(once);
	free(text);
}

TEST(data_larger_than_buffer)
{
	const size_t n = 1000 * 1000;
	char *bytes = malloc(n);

	srand(1);
	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)(rand() >> 7);
	pack_runs(bytes, n, 12345, 1);
	CHECK(size > n);
	CHECK(size < n + n / 2);
	free(bytes);
	free(text);
}
