/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_control_reused_fd.c - programs that close foreign fds, and then get the
 * control socket's fd for one of their own files.
 *
 * Threads with a ring continue.  A new thread finds another file at this fd,
 * neither reads nor writes that file, and does not wait.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"

#define RING (1u << 20)

static struct syscap_stats get_stats(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats;
}

static const char why[] = "SYSPROF_CONTROL_FD was closed or reused";

static void *emit_before_and_after(void *barrier)
{
	for (int i = 0; i < 1000; i++) {
		if (i == 500) {
			pthread_barrier_wait(barrier);
			pthread_barrier_wait(barrier);
		}
		SYSCAP_INSTANT("test", "kept", NULL);
	}
	return NULL;
}

static void *emit_too_late(void *unused)
{
	for (int i = 0; i < 10; i++)
		SYSCAP_INSTANT("test", "late", NULL);
	return unused;
}

/* Closes all fds, like a daemon. */
CHILD(closes_everything)
{
	pthread_barrier_t barrier;
	pthread_t threads[3];

	pthread_barrier_init(&barrier, NULL, 3);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, emit_before_and_after,
		               &barrier);
	for (int i = 0; i < 500; i++)
		SYSCAP_INSTANT("test", "kept", NULL);
	pthread_barrier_wait(&barrier);
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	pthread_create(&threads[2], NULL, emit_too_late, NULL);
	pthread_join(threads[2], NULL);
	CHECK(get_stats().is_active);
	CHECK_STR(get_stats().reason, why);
	CHECK_EQ(get_stats().n_dropped, 10);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 500; i++)
		SYSCAP_INSTANT("test", "kept", NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	CHECK_EQ(get_stats().n_dropped, 10);
}

TEST(threads_with_rings_record_on_when_all_descriptors_are_closed)
{
	struct peer peer;
	uint64_t n_told = 0;

	peer_start(&peer, "closes_everything", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_requests, 3);
	CHECK_EQ(peer_count_marks(&peer, "test", "kept"), 3000);
	CHECK_EQ(peer_count_marks(&peer, "test", "late"), 0);
	/* the new thread had no ring, so other threads' loss records count its
	 * losses */
	for (unsigned i = 0; i < peer.n_rings; i++)
		n_told += peer_lost_told(&peer.rings[i]);
	CHECK_EQ(n_told, 10);
	peer_free(&peer);
}

/* Opens an fd of kind peer_arg(); *ret_watched shows writes to it. */
static int open_victim(int *ret_watched)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int pair[2];

	if (strstr(peer_arg(), "file") != NULL) {
		*ret_watched = memfd_create("victim", 0);
		return fcntl(*ret_watched, F_DUPFD, 200);
	}
	if (strstr(peer_arg(), "pair") != NULL) {
		CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
		*ret_watched = pair[0];
		return pair[1];
	}
	snprintf(addr.sun_path, sizeof(addr.sun_path), "/tmp/syscap-test-%d",
	         (int)getpid());
	const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	CHECK_EQ(bind(listener, (struct sockaddr *)&addr, sizeof(addr)), 0);
	CHECK_EQ(listen(listener, 1), 0);
	const int client = socket(AF_UNIX, SOCK_STREAM, 0);
	CHECK_EQ(connect(client, (struct sockaddr *)&addr, sizeof(addr)), 0);
	*ret_watched = accept(listener, NULL, NULL);
	CHECK(*ret_watched >= 0);
	unlink(addr.sun_path);
	close(listener);
	return client;
}

static void check_untouched(int watched)
{
	struct stat st;
	char byte;

	CHECK_EQ(fstat(watched, &st), 0);
	if (S_ISREG(st.st_mode)) {
		CHECK_EQ(st.st_size, 0);
		return;
	}
	CHECK_EQ(recv(watched, &byte, 1, MSG_DONTWAIT), -1);
	CHECK_EQ(errno, EAGAIN);
}

/* Sends data to the victim, which the library must not take for a reply. */
static void say_something(int watched)
{
	struct stat st;

	CHECK_EQ(fstat(watched, &st), 0);
	if (!S_ISREG(st.st_mode))
		CHECK_EQ(send(watched, "hello", 5, 0), 5);
}

static void check_nothing_was_read(int number)
{
	char text[8];
	struct stat st;

	CHECK_EQ(fstat(number, &st), 0);
	if (S_ISREG(st.st_mode))
		return;
	CHECK_EQ(recv(number, text, sizeof(text), MSG_DONTWAIT), 5);
}

/*
 * The exit status if the event may have waited for an answer.  A busy machine
 * may delay an event as long, but not every time.
 */
#define LATE  7
#define TRIES 20

CHILD(reuses_the_number)
{
	const int number = atoi(getenv("SYSPROF_CONTROL_FD"));
	const bool has_ring = strstr(peer_arg(), "later") != NULL;
	struct timespec begin, end;
	pthread_t thread;
	int watched;

	if (has_ring)
		SYSCAP_INSTANT("test", "kept", NULL);
	close(number);
	const int victim = open_victim(&watched);
	watched = fcntl(watched, F_DUPFD, 100); /* elsewhere */
	CHECK(watched >= 100);
	if (victim != number) {
		CHECK_EQ(dup2(victim, number), number);
		close(victim);
	}
	say_something(watched);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	pthread_create(&thread, NULL, emit_too_late, NULL);
	pthread_join(thread, NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	const bool is_late = (end.tv_sec - begin.tv_sec) * 1000 +
	                             (end.tv_nsec - begin.tv_nsec) / 1000000 >=
	                     200;
	CHECK_EQ(get_stats().is_active, has_ring);
	CHECK_STR(get_stats().reason, why);
	if (has_ring)
		SYSCAP_INSTANT("test", "kept", NULL);
	check_untouched(watched);
	check_nothing_was_read(number);
	CHECK_EQ(get_stats().n_rings, has_ring);
	if (is_late)
		exit(LATE);
}

static void check_reuse(const char *kind)
{
	static const char *const when[] = { "first", "later" };

	for (int i = 0; i < 2; i++) {
		char arg[32];
		int status;

		snprintf(arg, sizeof(arg), "%s %s", kind, when[i]);
		for (int n = 0; n < TRIES; n++) {
			struct peer peer;

			peer_start_arg(&peer, "reuses_the_number", arg, RING,
			               PEER_OURS);
			status = peer_finish(&peer);
			CHECK_EQ(peer.n_requests, i);
			CHECK_EQ(peer_count_marks(&peer, "test", "kept"),
			         2 * i);
			peer_free(&peer);
			if (status != LATE << 8)
				break;
		}
		CHECK_EQ(status, 0);
	}
}

TEST(a_file_that_took_the_number_is_not_touched)
{
	check_reuse("file");
}

TEST(a_named_socket_that_took_the_number_is_not_touched)
{
	check_reuse("named");
}

TEST(a_socket_pair_that_took_the_number_is_not_touched)
{
	check_reuse("pair");
}

/* Another fd of the same socket still leads to the recorder. */
CHILD(moves_the_socket)
{
	const int number = atoi(getenv("SYSPROF_CONTROL_FD"));
	const int elsewhere = dup(number);

	close(number);
	CHECK_EQ(dup2(elsewhere, number), number);
	close(elsewhere);
	SYSCAP_INSTANT("test", "kept", NULL);
}

TEST(the_same_socket_put_back_is_used)
{
	struct peer peer;

	peer_start(&peer, "moves_the_socket", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer_count_marks(&peer, "test", "kept"), 1);
	peer_free(&peer);
}
