/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_page.c - the page by which copies find each other: what is in it, and
 * what they do where it can't be had.
 *
 * This program has no copy, so that it can prepare the place before any.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "share/block.h"
#include "share/census.h"
#include "share/parts.h"
#include "share/place.h"

#define RING (1u << 16)

#define N_PARTS 3

static const struct part *parts[N_PARTS];
static struct census census;

static void load_and_emit(void)
{
	CHECK(parts_program() == NULL);
	for (unsigned i = 0; i < N_PARTS; i++)
		parts[i] = parts_load(parts_name(i + 1));
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < N_PARTS; i++) {
			parts_emit(parts[i], 0, 10 * round, 10);
			parts[i]->stack(parts[i]->intern(parts_name(i + 1)));
		}
}

/* Everything arrives, with ids and addresses that nobody confuses. */
static void check_all_arrived(struct peer *peer, unsigned n_rings)
{
	CHECK_EQ(peer_finish(peer), 0);
	CHECK_EQ(peer->n_rings, n_rings);
	census_of_peer(&census, peer);
	for (unsigned i = 0; i < N_PARTS; i++) {
		CHECK_EQ(census_marks(&census, parts_name(i + 1), 0), 30);
		CHECK_EQ(census_logs(&census, parts_name(i + 1), 0), 30);
	}
	CHECK_EQ(census.n_counters, N_PARTS);
	CHECK_EQ(census.n_names, N_PARTS);
	CHECK_EQ(census.n_values, 30 * N_PARTS);
	CHECK_EQ(census.n_samples, 3 * N_PARTS);
	peer_free(peer);
}

/* -------------------------------------------------------------- contents */

static bool is_mapped(uint64_t address)
{
	FILE *const maps = fopen("/proc/self/maps", "re");
	unsigned long long low, high;
	char line[5000];
	bool found = false;

	CHECK(maps != NULL);
	while (!found && fgets(line, sizeof(line), maps) != NULL)
		if (sscanf(line, "%llx-%llx", &low, &high) == 2)
			found = address >= low && address < high;
	fclose(maps);
	return found;
}

/* The page's line of the maps; false: there is none. */
static bool find_page(char line[5000])
{
	FILE *const maps = fopen("/proc/self/maps", "re");
	char begin[32];
	bool found = false;

	CHECK(maps != NULL);
	snprintf(begin, sizeof(begin), "%llx-",
	         (unsigned long long)(uintptr_t)PARTS_PLACE);
	while (!found && fgets(line, 5000, maps) != NULL)
		found = strncmp(line, begin, strlen(begin)) == 0;
	fclose(maps);
	return found;
}

CHILD(looks_at_page)
{
	const unsigned char *const page = PARTS_PLACE;
	const unsigned char *const key =
		(const unsigned char *)getauxval(AT_RANDOM);
	char line[5000];
	uint64_t word;

	CHECK(!find_page(line));
	load_and_emit();
	parts_check_together(parts, N_PARTS, N_PARTS);
	CHECK(find_page(line));
	CHECK(strstr(line, " r--p ") != NULL);
	for (long i = 32; i < sysconf(_SC_PAGESIZE); i++)
		CHECK_EQ(page[i], 0);
	for (unsigned i = 0; i <= 32 - 8; i++) {
		memcpy(&word, page + i, 8);
		/* sanitizers' shadows are nearly everywhere */
		CHECK(test_is_sanitized() || !is_mapped(word));
		for (unsigned k = 0; k <= 16 - 8; k++)
			CHECK(memcmp(page + i, key + k, 8) != 0);
	}
	/* nobody opens it for writing behind our back */
	CHECK(mprotect(PARTS_PLACE, 4096, PROT_READ) == 0);
}

TEST(the_page_is_read_only_and_tells_no_address_and_no_key)
{
	struct peer peer;

	peer_start(&peer, "looks_at_page", RING, PEER_OURS);
	check_all_arrived(&peer, 1);
}

CHILD(records_nothing)
{
	char line[5000];

	load_and_emit();
	CHECK(!find_page(line));
}

TEST(a_process_that_records_nothing_has_no_page)
{
	CHECK_EQ(peer_run_alone("records_nothing", "", NULL), 0);
}

/* ----------------------------------------------------------- it is taken */

CHILD(place_is_taken)
{
	place_take(peer_arg());
	load_and_emit();
	for (unsigned i = 0; i < N_PARTS; i++)
		parts_check_alone(parts[i], "where copies of the library meet");
	CHECK(is_mapped((uintptr_t)PARTS_PLACE));
}

static void check_taken(const char *with_what)
{
	struct peer peer;

	peer_start_arg(&peer, "place_is_taken", with_what, RING, PEER_OURS);
	check_all_arrived(&peer, N_PARTS);
}

TEST(copies_work_alone_where_a_file_is_at_the_place)
{
	check_taken("file");
}

TEST(copies_work_alone_where_the_place_is_empty_memory)
{
	check_taken("zero");
}

TEST(copies_work_alone_where_the_place_is_not_readable)
{
	check_taken("nothing");
}

TEST(copies_work_alone_where_the_file_at_the_place_was_truncated)
{
	check_taken("cut");
}

TEST(copies_work_alone_where_somebody_has_forged_the_page)
{
	check_taken("forged");
}

/* --------------------------------------------- blocks that can't be used */

CHILD(block_is_wrong)
{
	static struct syc_block block; /* of a C library 0 */
	const bool is_right = *peer_arg() == 'l';

	place_publish(&block, is_right);
	load_and_emit();
	for (unsigned i = 0; i < N_PARTS; i++)
		parts_check_alone(parts[i], is_right ? "another C library"
		                                     : "something else is");
	CHECK_EQ(block.n_copies, 0);
}

static void check_block(const char *what)
{
	struct peer peer;

	peer_start_arg(&peer, "block_is_wrong", what, RING, PEER_OURS);
	check_all_arrived(&peer, N_PARTS);
}

TEST(an_address_whose_check_is_wrong_is_not_believed)
{
	check_block("check");
}

TEST(a_block_of_another_C_library_is_left_alone)
{
	check_block("libc");
}

/* ------------------------------------------------------- it is forbidden */

/* The argument: what, a space, and how many find each other: 0, or all. */
CHILD(something_is_forbidden)
{
	char what[32], words[200];
	char line[5000];

	CHECK_EQ(sscanf(peer_arg(), "%31s %199[^\n]", what, words), 2);
	place_forbid(what);
	load_and_emit();
	/* The first may have made the page, and then nothing is wrong there */
	for (unsigned i = find_page(line) ? 1 : 0; i < N_PARTS; i++)
		parts_check_alone(parts[i], words);
	CHECK_EQ(find_page(line), strcmp(what, "pipe2") == 0);
}

static void check_forbidden(const char *what)
{
	struct peer peer;

	peer_start_arg(&peer, "something_is_forbidden", what, RING, PEER_OURS);
	check_all_arrived(&peer, N_PARTS);
}

TEST(copies_work_alone_where_no_place_can_be_asked_for)
{
	check_forbidden("mmap_einval find each other");
	check_forbidden("mmap_eopnotsupp find each other");
}

TEST(copies_work_alone_where_no_memory_file_can_be_made)
{
	check_forbidden("memfd_create can't be made");
}

TEST(copies_work_alone_where_the_place_can_not_be_looked_at)
{
	check_forbidden("pipe2 can't be read");
}

TEST(a_file_size_limit_kills_nobody)
{
	check_forbidden("fsize the file size limit");
}

/* All but this one are older than the limit. */
CHILD(forbidden_later)
{
	parts[0] = parts_load("a");
	parts_emit(parts[0], 0, 0, 10);
	place_forbid(peer_arg());
	parts[1] = parts_load("b");
	parts_emit(parts[1], 0, 0, 10);
	parts[2] = parts_load("c");
	parts_emit(parts[2], 0, 0, 10);
	parts_check_together(parts, N_PARTS, N_PARTS);
}

static void check_forbidden_later(const char *what)
{
	struct peer peer;

	peer_start_arg(&peer, "forbidden_later", what, RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 1);
	census_of_peer(&census, &peer);
	CHECK_EQ(census.n_values, 30);
	peer_free(&peer);
}

TEST(a_page_that_is_there_is_found_with_few_permissions)
{
	check_forbidden_later("mmap_einval");
	check_forbidden_later("memfd_create");
	check_forbidden_later("fsize");
}
