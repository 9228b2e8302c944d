/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_ask_bad_rings.c - the library refuses answers without a valid ring,
 * leaves nothing open or mapped, and continues.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/thread.h"
#include "harness/peer.h"
#include "harness/test.h"

static unsigned count_fds(void)
{
	DIR *const dir = opendir("/proc/self/fd");
	unsigned n = 0;

	CHECK(dir != NULL);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

static unsigned count_shared_mappings(void)
{
	FILE *const maps = fopen("/proc/self/maps", "re");
	char line[512];
	unsigned n = 0;

	CHECK(maps != NULL);
	while (fgets(line, sizeof(line), maps) != NULL)
		n += strstr(line, " rw-s ") != NULL ||
		     strstr(line, "bad-ring") != NULL;
	fclose(maps);
	return n;
}

CHILD(is_given_no_ring)
{
	struct syscap_stats stats = { .size = sizeof(stats) };
	const unsigned n_fds = count_fds();
	const unsigned n_mappings = count_shared_mappings();

	SYSCAP_INSTANT("test", "mark", NULL);
	/* no new request in the loop below, which is slow on a busy machine */
	syc_state_of(syc_self)->retry_at += INT64_C(60000000000);
	for (int i = 1; i < 100; i++)
		SYSCAP_INSTANT("test", "mark", NULL);
	syscap_get_stats(&stats);
	CHECK(stats.is_active); /* the next answer may be a ring */
	CHECK_EQ(stats.n_dropped, 100);
	CHECK_EQ(stats.n_rings, 0);
	CHECK_EQ(count_fds(), n_fds);
	CHECK_EQ(count_shared_mappings(), n_mappings);
}

/* Answers the child's request with @fds, and closes @fds. */
static void check_refused(const int *fds, unsigned n)
{
	struct peer peer;

	peer_start(&peer, "is_given_no_ring", 4096, PEER_OURS);
	peer.holds_replies = true;
	while (peer_serve(&peer) == 0)
		usleep(100);
	peer.holds_replies = false;
	peer_send_fds(&peer, fds, n);
	CHECK_EQ(peer_finish(&peer), 0);
	/* the second at its end, to report losses */
	CHECK_EQ(peer.n_requests, 2);
	CHECK_EQ(peer_lost_told(&peer.rings[0]), 100);
	peer_free(&peer);
	for (unsigned i = 0; i < n; i++)
		close(fds[i]);
}

/* A file of @size bytes that begins with these four header words. */
static int make_file(off_t size, uint32_t head, uint32_t tail, uint32_t offset,
                     uint32_t body)
{
	const uint32_t header[4] = { head, tail, offset, body };
	const int fd = memfd_create("bad-ring", MFD_CLOEXEC);

	CHECK_EQ(pwrite(fd, header, sizeof(header), 0), sizeof(header));
	CHECK_EQ(ftruncate(fd, size), 0);
	return fd;
}

static void check_file_refused(off_t size, uint32_t head, uint32_t tail,
                               uint32_t offset, uint32_t body)
{
	const int fd = make_file(size, head, tail, offset, body);

	check_refused(&fd, 1);
}

static void *one_mark(void *unused)
{
	SYSCAP_INSTANT("test", "mark", NULL);
	return unused;
}

CHILD(two_threads)
{
	pthread_t thread;

	one_mark(NULL);
	pthread_create(&thread, NULL, one_mark, NULL);
	pthread_join(thread, NULL);
}

/* A valid ring; each test below breaks one property of a valid ring. */
TEST(a_file_of_the_right_shape_is_a_ring)
{
	const int fd = make_file(8192, 0, 0, 4096, 4096);
	struct peer peer;
	uint32_t tail;

	peer_start(&peer, "two_threads", 4096, PEER_OURS);
	peer.holds_replies = true;
	while (peer_serve(&peer) == 0)
		usleep(100);
	peer.holds_replies = false;
	peer_send_fds(&peer, &fd, 1);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer_count_marks(&peer, "test", "mark"), 1);
	CHECK_EQ(pread(fd, &tail, 4, 4), 4);
	CHECK(tail > 104);
	close(fd);
	peer_free(&peer);
}

TEST(an_answer_without_a_descriptor_is_refused)
{
	check_refused(NULL, 0);
}

TEST(an_answer_with_several_descriptors_is_refused_and_all_are_closed)
{
	for (unsigned n = 2; n <= PEER_MAX_FDS; n++) {
		int fds[PEER_MAX_FDS];

		for (unsigned i = 0; i < n; i++)
			fds[i] = make_file(8192, 0, 0, 4096, 4096);
		check_refused(fds, n);
	}
}

TEST(a_descriptor_of_no_file_is_refused)
{
	int pair[2];

	CHECK_EQ(pipe2(pair, O_CLOEXEC), 0);
	check_refused(&pair[0], 1);
	close(pair[1]);
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	check_refused(&pair[0], 1);
	close(pair[1]);
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	check_refused(&null, 1);
	const int folder = open("/", O_RDONLY | O_CLOEXEC);
	check_refused(&folder, 1);
}

TEST(a_file_that_cannot_be_written_is_refused)
{
	const int fd = make_file(8192, 0, 0, 4096, 4096);
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const int readable = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(readable >= 0);
	close(fd);
	check_refused(&readable, 1);
}

TEST(a_file_that_is_too_small_or_of_no_whole_pages_is_refused)
{
	check_file_refused(0, 0, 0, 4096, 4096);
	check_file_refused(1, 0, 0, 4096, 4096);
	check_file_refused(4096, 0, 0, 4096, 0);
	check_file_refused(8191, 0, 0, 4096, 4096);
	check_file_refused(8193, 0, 0, 4096, 4096);
	check_file_refused(4096 + 6144, 0, 0, 4096, 6144);
}

TEST(a_file_that_is_too_large_is_refused)
{
	const off_t gib = 1 << 30;

	check_file_refused(gib + 2 * 4096, 0, 0, 4096, (1u << 30) + 4096);
	check_file_refused(4 * gib + 8192, 0, 0, 4096, 4096);
	check_file_refused((off_t)1 << 40, 0, 0, 4096, 0xFFFFF000);
}

TEST(a_header_that_does_not_fit_the_file_is_refused)
{
	check_file_refused(8192, 0, 0, 0, 4096);
	check_file_refused(8192, 0, 0, 128, 4096);
	check_file_refused(8192, 0, 0, 8192, 4096);
	check_file_refused(8192, 0, 0, 4096, 0);
	check_file_refused(8192, 0, 0, 4096, 4095);
	check_file_refused(8192, 0, 0, 4096, 8192);
	check_file_refused(8192, 0, 0, 4096, 0xFFFFFFFF);
}

TEST(a_ring_that_is_not_empty_is_refused)
{
	check_file_refused(8192, 8, 8, 4096, 4096);
	check_file_refused(8192, 0, 104, 4096, 4096);
	check_file_refused(8192, 104, 0, 4096, 4096);
	check_file_refused(8192, 4096, 4096, 4096, 4096);
}
