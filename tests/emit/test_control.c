/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_control.c - valid and invalid values of SYSPROF_CONTROL_FD.  After an
 * invalid value recording is off, the program is unharmed, and no fd
 * has been written to.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"

SYSCAP_COUNTER(a_counter, "test", "counter", "", SYSCAP_INT64);

/* Recording must be off for the reason in peer_arg(). */
CHILD(refused)
{
	struct syscap_stats stats = { .size = sizeof(stats) };
	struct timespec begin, end;

	/* only a write shows that the other end is closed */
	if (strcmp(peer_arg(), "the recorder has ended") != 0)
		CHECK(!syscap_is_active());
	clock_gettime(CLOCK_MONOTONIC, &begin);
	SYSCAP_INSTANT("test", "mark", NULL);
	SYSCAP_COUNTER_SET(a_counter, 1);
	syscap_mark("test", "mark", 1, 2, "message");
	syscap_mark_printf("test", "mark", 1, 2, "%d", 3);
	syscap_log(SYSCAP_INFO, "test", "log");
	syscap_metadata("test", "value");
	syscap_thread_reset();
	clock_gettime(CLOCK_MONOTONIC, &end);
	CHECK(end.tv_sec - begin.tv_sec <= 1);
	syscap_get_stats(&stats);
	CHECK(!stats.is_active);
	CHECK_STR(stats.reason, peer_arg());
	CHECK_EQ(stats.n_rings, 0);
}

static void check_refused(const char *value, const char *reason)
{
	const int status = peer_run_alone("refused", reason, value);

	if (status != 0)
		test_fail(__FILE__, __LINE__,
		          "SYSPROF_CONTROL_FD=\"%s\": status %#x", value,
		          (unsigned)status);
}

static void check_fd_refused(int fd, const char *reason)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", fd);
	check_refused(number, reason);
}

static void check_nothing_arrived(int socket)
{
	char byte;

	CHECK_EQ(recv(socket, &byte, 1, MSG_DONTWAIT), -1);
	CHECK_EQ(errno, EAGAIN);
}

/* The child has valid control sockets as fds 0 and 3. */
TEST(a_value_other_than_a_number_above_2_is_refused)
{
	static const char *const values[] = {
		"",
		"x",
		"3x",
		" 3",
		"3 ",
		"+3",
		"-1",
		"-3",
		"0",
		"1",
		"2",
		"0x3",
		"3.",
		"3,",
		"٣",
		"\n3",
		"4294967299",
		"18446744073709551619",
		"99999999999999999999999",
	};
	int pair[2];

	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	const int other = fcntl(pair[1], F_DUPFD_CLOEXEC, 20);
	const int keep_stdin = fcntl(0, F_DUPFD_CLOEXEC, 20);
	CHECK_EQ(dup2(pair[0], 0), 0);
	close(pair[1]);
	if (pair[0] != 3)
		CHECK_EQ(dup2(pair[0], 3), 3);
	fcntl(3, F_SETFD, 0);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		check_refused(values[i], "SYSPROF_CONTROL_FD is not a "
		                         "descriptor number above 2");
	check_nothing_arrived(other);
	dup2(keep_stdin, 0);
	close(keep_stdin);
	close(other);
	close(3);
	if (pair[0] != 3)
		close(pair[0]);
}

TEST(a_number_that_is_not_open_is_refused)
{
	check_refused("3", "SYSPROF_CONTROL_FD is not an open descriptor");
	check_refused("1000000",
	              "SYSPROF_CONTROL_FD is not an open descriptor");
}

static const char not_a_socket[] =
	"SYSPROF_CONTROL_FD is not a Unix stream socket";

TEST(a_file_is_refused_and_stays_empty)
{
	const int fd = memfd_create("victim", 0);
	struct stat st;

	check_fd_refused(fd, not_a_socket);
	CHECK_EQ(fstat(fd, &st), 0);
	CHECK_EQ(st.st_size, 0);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), 0);
	close(fd);
}

TEST(a_pipe_is_refused_and_stays_empty)
{
	int ends[2];
	char byte;

	CHECK_EQ(pipe2(ends, O_NONBLOCK), 0);
	check_fd_refused(ends[1], not_a_socket);
	CHECK_EQ(read(ends[0], &byte, 1), -1);
	CHECK_EQ(errno, EAGAIN);
	close(ends[0]);
	close(ends[1]);
}

TEST(a_datagram_socket_pair_is_refused)
{
	int pair[2];

	CHECK_EQ(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
	check_fd_refused(pair[1], not_a_socket);
	check_nothing_arrived(pair[0]);
	close(pair[0]);
	close(pair[1]);
	CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	check_fd_refused(pair[1], not_a_socket);
	check_nothing_arrived(pair[0]);
	close(pair[0]);
	close(pair[1]);
}

/* A connected pair of internet sockets: [0] receives what [1] is sent. */
static void connect_inet(int type, int pair[2])
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	socklen_t size = sizeof(addr);
	const int first = socket(AF_INET, type, 0);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK_EQ(bind(first, (struct sockaddr *)&addr, size), 0);
	CHECK_EQ(getsockname(first, (struct sockaddr *)&addr, &size), 0);
	if (type == SOCK_STREAM)
		CHECK_EQ(listen(first, 1), 0);
	pair[1] = socket(AF_INET, type, 0);
	CHECK_EQ(connect(pair[1], (struct sockaddr *)&addr, size), 0);
	pair[0] = type == SOCK_STREAM ? accept(first, NULL, NULL) : first;
	CHECK(pair[0] >= 0);
	if (type == SOCK_STREAM)
		close(first);
}

TEST(a_tcp_or_udp_socket_is_refused)
{
	static const int types[] = { SOCK_STREAM, SOCK_DGRAM };

	for (int i = 0; i < 2; i++) {
		int pair[2];

		connect_inet(types[i], pair);
		check_fd_refused(pair[1], not_a_socket);
		check_nothing_arrived(pair[0]);
		close(pair[0]);
		close(pair[1]);
	}
}

/* Such as the socket of a display server's client. */
TEST(a_socket_connected_to_a_named_one_is_refused)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	snprintf(addr.sun_path, sizeof(addr.sun_path), "/tmp/syscap-test-%d",
	         (int)getpid());
	const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK_EQ(bind(listener, (struct sockaddr *)&addr, sizeof(addr)), 0);
	CHECK_EQ(listen(listener, 1), 0);
	const int client = socket(AF_UNIX, SOCK_STREAM, 0);
	CHECK_EQ(connect(client, (struct sockaddr *)&addr, sizeof(addr)), 0);
	const int served = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	unlink(addr.sun_path);
	check_fd_refused(client, "SYSPROF_CONTROL_FD is connected to a named "
	                         "socket, not to a recorder");
	check_nothing_arrived(served);
	close(listener);
	close(client);
	close(served);
}

TEST(a_socket_whose_other_end_is_closed_or_never_was_is_refused)
{
	const int single = socket(AF_UNIX, SOCK_STREAM, 0);
	int pair[2];

	check_fd_refused(single, "the recorder has ended");
	close(single);
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	close(pair[0]);
	check_fd_refused(pair[1], "the recorder has ended");
	close(pair[1]);
}

/* The child of a launcher: answers one request, and reads the ring. */
static void record_launched(int sock)
{
	struct peer peer = { .sock = sock, .ring_size = 4096 };
	char byte;

	peer_reply(&peer); /* stays in the socket */
	while (read(sock, &byte, 1) == 1)
		; /* until the program shuts it down */
	peer_drain(&peer);
	CHECK_EQ(peer_count_marks(&peer, "test", "mark"), 1);
	peer_free(&peer);
	_exit(0);
}

CHILD(launched)
{
	const int fd = atoi(getenv("SYSPROF_CONTROL_FD"));
	struct syscap_stats stats = { .size = sizeof(stats) };
	int status = 1;

	SYSCAP_INSTANT("test", "mark", NULL);
	syscap_get_stats(&stats);
	CHECK_STR(stats.reason, "SYSPROF_CONTROL_FD leads to a recorder");
	CHECK_EQ(stats.n_rings, 1);
	CHECK_EQ(shutdown(fd, SHUT_WR), 0);
	CHECK(wait(&status) > 0);
	CHECK_EQ(status, 0);
}

/* exec keeps the pid: the program is the process that made the socket pair. */
CHILD(launches)
{
	int pair[2];
	char number[16];

	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	if (fork() == 0) {
		close(pair[1]);
		record_launched(pair[0]);
	}
	close(pair[0]);
	snprintf(number, sizeof(number), "%d", pair[1]);
	setenv("SYSPROF_CONTROL_FD", number, 1);
	setenv("SYSCAP_TEST_CHILD", "launched", 1);
	execl("/proc/self/exe", "launched", NULL);
	_exit(98);
}

TEST(a_socket_pair_made_before_exec_is_accepted)
{
	CHECK_EQ(peer_run_alone("launches", "", NULL), 0);
}

/* All processes that share the socket share its flags. */
CHILD(one_mark)
{
	SYSCAP_INSTANT("test", "mark", NULL);
}

TEST(the_sockets_shared_flags_do_not_change)
{
	static const int flags[] = { 0, O_NONBLOCK };

	for (int i = 0; i < 2; i++) {
		struct peer peer;
		int pair[2], fl;
		char number[16];

		memset(&peer, 0, sizeof(peer));
		peer.ring_size = 4096;
		CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
		fcntl(pair[0], F_SETFD, FD_CLOEXEC);
		fcntl(pair[1], F_SETFL, flags[i]);
		peer.sock = pair[0];
		peer_reply(&peer); /* stays in the socket */
		snprintf(number, sizeof(number), "%d", pair[1]);
		CHECK_EQ(peer_run_alone("one_mark", "", number), 0);
		fl = fcntl(pair[1], F_GETFL);
		CHECK_EQ(fl & O_NONBLOCK, flags[i]);
		peer_drain(&peer);
		CHECK_EQ(peer_count_marks(&peer, "test", "mark"), 1);
		peer_free(&peer);
		close(pair[1]);
	}
}
