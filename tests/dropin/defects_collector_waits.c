/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_collector_waits.c - the control socket: recorders that do not answer,
 * and fds that are no control socket.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <sysprof-capture.h>

#include "dropin/defects_collector.h"

/* ------------------------------------------------------------------- C-7 */

static void *emit_some(void *unused)
{
	for (int i = 0; i < 1000; i++)
		mark("some", NULL);
	return unused;
}

/* Emits in simultaneous threads, and in later threads */
static void emit_to_silence(void)
{
	const int64_t before = clock_ns();
	pthread_t threads[8];

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 8; i++)
			NEED(pthread_create(&threads[i], NULL, emit_some,
			                    NULL) == 0);
		for (int i = 0; i < 8; i++)
			NEED(pthread_join(threads[i], NULL) == 0);
	}
	emit_some(NULL);
	const int64_t took = clock_ns() - before;
	if (took > INT64_C(2000000000))
		defect_shows("a recorder that gives no answer costs %lld ms",
		             (long long)took / 1000000);
}

static void silence_is_not_waited_for(uint32_t pages)
{
	struct ring_peer peer = { .pages = pages, .is_silent = true };

	ended_well("no answer", ring_peer_run(&peer, "no answer", ""));
	MUST(peer.n_rings == 0);
	ring_peer_free(&peer);
}

/* ------------------------------------------------------------------- C-8 */

#define NUMBER 9 /* fd in the socket's place */

static void emit_to_anything(void)
{
	for (int i = 0; i < 10; i++)
		mark("anything", NULL);
}

/* Checks that @other receives no data if the program gets @fd as its control
 * socket. */
static void leaves_alone(const char *what, const char *control, int fd,
                         int number, int other)
{
	char bytes[64];

	const int status = ring_peer_run_alone("anything", control, fd, number);
	close(fd);
	NEED(fcntl(other, F_SETFL, O_NONBLOCK) == 0);
	const ssize_t n = read(other, bytes, sizeof(bytes));
	if (n > 0)
		defect_shows(
			"SYSPROF_CONTROL_FD=\"%s\" sends %zd bytes into %s",
			control, n, what);
	close(other);
	ended_well(what, status);
}

static void make_pair(int type, int *ret_fd, int *ret_other)
{
	int pair[2];

	NEED(socketpair(AF_UNIX, type, 0, pair) == 0);
	*ret_fd = pair[0];
	*ret_other = pair[1];
	NEED(fcntl(*ret_other, F_SETFD, FD_CLOEXEC) == 0);
}

/* Makes a socket connected to a listener at @address. */
static void make_connected(const struct sockaddr *address, socklen_t size,
                           int *ret_fd, int *ret_other)
{
	struct sockaddr_storage at;
	socklen_t at_size = sizeof(at);
	const int server = socket(address->sa_family, SOCK_STREAM, 0);

	*ret_fd = socket(address->sa_family, SOCK_STREAM, 0);
	NEED(server >= 0 && *ret_fd >= 0);
	NEED(bind(server, address, size) == 0 && listen(server, 1) == 0);
	NEED(getsockname(server, (struct sockaddr *)&at, &at_size) == 0);
	NEED(connect(*ret_fd, (struct sockaddr *)&at, at_size) == 0);
	*ret_other = accept4(server, NULL, NULL, SOCK_CLOEXEC);
	NEED(*ret_other >= 0);
	close(server);
}

static void try_values(void)
{
	static const char *const values[] = {
		"", "zero", "0", " 0", "-", "0x0"
	};
	int fd, other;

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		make_pair(SOCK_STREAM, &fd, &other);
		leaves_alone("standard input", values[i], fd, 0, other);
	}
	make_pair(SOCK_STREAM, &fd, &other);
	leaves_alone("the descriptor that it begins with", "9th", fd, NUMBER,
	             other);
	make_pair(SOCK_STREAM, &fd, &other);
	leaves_alone("the value after an overflow", "4294967305", fd, NUMBER,
	             other);
}

static void try_descriptors(void)
{
	/* the kernel chooses names: abstract, and a free port */
	const struct sockaddr_un named = { .sun_family = AF_UNIX };
	const struct sockaddr_in tcp = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int pipes[2], fd, other;

	NEED(pipe2(pipes, O_CLOEXEC) == 0);
	leaves_alone("a pipe", "9", pipes[1], NUMBER, pipes[0]);
	make_pair(SOCK_DGRAM, &fd, &other);
	leaves_alone("a datagram socket", "9", fd, NUMBER, other);
	make_connected((const struct sockaddr *)&tcp, sizeof(tcp), &fd, &other);
	leaves_alone("a TCP socket", "9", fd, NUMBER, other);
	make_connected((const struct sockaddr *)&named, sizeof(sa_family_t),
	               &fd, &other);
	leaves_alone("the socket of a service", "9", fd, NUMBER, other);
	ended_well("no such descriptor",
	           ring_peer_run_alone("anything", "9", -1, -1));
}

static void only_the_control_socket_is_written_to(uint32_t pages)
{
	(void)pages;
	try_values();
	try_descriptors();
}

/* ------------------------------------------------------------------ C-21 */

static void *emit_one(void *unused)
{
	mark("one", NULL);
	return unused;
}

/* Cancels the first thread during its wait for a ring. */
static void cancel_first(void)
{
	pthread_t threads[2];

	NEED(pthread_create(&threads[0], NULL, emit_one, NULL) == 0);
	while (deed_ask(ASK_COUNT) == 0)
		sleep_ms(1);
	sleep_ms(20);
	NEED(pthread_cancel(threads[0]) == 0);
	NEED(pthread_join(threads[0], NULL) == 0);
	deed_ask(ASK_LEAVE);
	NEED(pthread_create(&threads[1], NULL, emit_one, NULL) == 0);
	NEED(pthread_join(threads[1], NULL) == 0);
	mark("one", NULL);
}

static void cancelled_threads_leave_nothing_locked(uint32_t pages)
{
	struct ring_peer peer = { .pages = pages, .is_silent = true };

	ended_well("cancel the thread that waits for its ring",
	           ring_peer_run(&peer, "cancel", ""));
	ring_peer_free(&peer);
}

/* ------------------------------------------------------------------ C-22 */

static void flags_are_left_alone(uint32_t pages)
{
	struct ring_peer peer;

	record(&peer, pages, "anything", "");
	MUST(marks_count(&peer, "anything") == 10);
	if ((fcntl(peer.client, F_GETFL) & O_NONBLOCK) == 0)
		defect_shows("the socket that all relatives have is blocking "
		             "now");
	ring_peer_free(&peer);
}

const struct defect defects_of_waits[] = {
	{ "C-7", silence_is_not_waited_for },
	{ "C-8", only_the_control_socket_is_written_to },
	{ "C-21", cancelled_threads_leave_nothing_locked },
	{ "C-22", flags_are_left_alone },
	{ NULL, NULL }
};

const struct deed deeds_of_waits[] = { { "no answer", emit_to_silence },
	                               { "anything", emit_to_anything },
	                               { "cancel", cancel_first },
	                               { NULL, NULL } };
