/* SPDX-License-Identifier: BSD-2-Clause */
/* test_siphash.c - the keyed hash equals the values in the paper. */
#include "base/siphash.h"
#include "harness/test.h"

/* The paper's appendix A: key and message count up from 0, 15 bytes. */
TEST(hash_of_the_paper_example)
{
	unsigned char key[16], message[15];

	for (unsigned i = 0; i < 16; i++)
		key[i] = (unsigned char)i;
	for (unsigned i = 0; i < 15; i++)
		message[i] = (unsigned char)i;
	CHECK(syc_siphash(key, message, 15) == UINT64_C(0xA129CA6149BE45E5));
}

TEST(hash_depends_on_the_key)
{
	unsigned char key[16] = { 0 };
	const uint64_t word = 1;
	const uint64_t before = syc_siphash(key, &word, sizeof(word));

	key[15] = 1;
	CHECK(syc_siphash(key, &word, sizeof(word)) != before);
}
