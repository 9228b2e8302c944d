/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_many.c - more copies than can act as one, and a copy with its own C
 * library.  This program has no copy.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "copies/census.h"
#include "copies/copies.h"
#include "copies/parts.h"
#include "harness/peer.h"
#include "harness/test.h"

#define RING   (1u << 16)
#define N_MANY (SYC_COPIES_MAX + 6)

static struct census census;

static void copy_file(const char *from, const char *to)
{
	char bytes[1 << 16];
	ssize_t n;
	const int in = open(from, O_RDONLY | O_CLOEXEC);
	const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);

	CHECK(in >= 0 && out >= 0);
	while ((n = read(in, bytes, sizeof(bytes))) > 0)
		CHECK_EQ(write(out, bytes, (size_t)n), n);
	close(in);
	close(out);
}

CHILD(seventy_copies)
{
	static const struct part *parts[N_MANY];
	static struct syscap_stats stats;
	char dir[] = "/tmp/syscap-copies-XXXXXX";
	char from[4096], to[4096];
	void *ignored;

	CHECK(mkdtemp(dir) != NULL);
	for (unsigned i = 0; i < N_MANY; i++) {
		snprintf(to, sizeof(to), "%s/%u.so", dir, i);
		copy_file(parts_path(from, "a"), to);
		parts[i] = parts_open_path(to, &ignored);
		unlink(to);
	}
	rmdir(dir);
	for (unsigned i = 0; i < N_MANY; i++)
		for (unsigned n = 0; n < 5; n++)
			parts[i]->mark(i, n);
	parts_check_together(parts, SYC_COPIES_MAX, SYC_COPIES_MAX);
	for (unsigned i = SYC_COPIES_MAX; i < N_MANY; i++)
		parts_check_alone(parts[i], "too many copies");
	parts[0]->stats(&stats);
	CHECK_EQ(stats.n_rings, 1);
}

TEST(of_too_many_copies_the_last_work_alone)
{
	struct peer peer;

	peer_start(&peer, "seventy_copies", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 1 + N_MANY - SYC_COPIES_MAX);
	census_of_peer(&census, &peer);
	for (unsigned i = 0; i < N_MANY; i++)
		CHECK_EQ(census_marks(&census, "a", i), 5);
	peer_free(&peer);
}

/* ------------------------------------------------- another C library */

CHILD(other_namespace)
{
	const struct part *const first = parts_load("a");
	const struct part *(*get)(void);
	char path[4096];

	parts_emit(first, 0, 0, 10);
	void *const handle =
		dlmopen(LM_ID_NEWLM, parts_path(path, "b"), RTLD_NOW);
	if (handle == NULL)
		test_fail(__FILE__, __LINE__, "%s", dlerror());
	*(void **)&get = dlsym(handle, "part_get");
	CHECK(get != NULL);
	const struct part *const second = get();
	parts_emit(second, 0, 0, 10);
	parts_emit(first, 0, 10, 10);
	parts_emit(second, 0, 10, 10);
	parts_check_together(&first, 1, 1);
	parts_check_alone(second, "another C library");
}

TEST(a_copy_with_a_C_library_of_its_own_works_alone)
{
	struct peer peer;

	if (test_is_sanitized())
		SKIP("a sanitizer's run time is there once");
	peer_start(&peer, "other_namespace", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 2);
	census_of_peer(&census, &peer);
	CHECK_EQ(census_marks(&census, "a", 0), 20);
	CHECK_EQ(census_marks(&census, "b", 0), 20);
	CHECK_EQ(census.n_counters, 2);
	peer_free(&peer);
}
