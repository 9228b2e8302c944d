/* SPDX-License-Identifier: BSD-2-Clause */
/* test_control_server.c - the inherited socket when a recording ends. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/test.h"
#include "recorder/ring_requests.h"
#include "ring/ring.h"

static struct syc_console console;
static unsigned n_taken;

static int refuse(void *context, int32_t pid, bool may_retry)
{
	(void)context;
	(void)pid;
	(void)may_retry;
	return -1;
}

static void take(void *context, int32_t pid, int fd, bool is_late)
{
	(void)context;
	CHECK_EQ(pid, getpid());
	CHECK(fd >= 0 && !is_late);
	n_taken++;
}

static void note(void *context, int32_t pid)
{
	(void)context;
	(void)pid;
}

/* Sends a message.  False: the socket is full. */
static bool hand_over(int socket, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr header;
	} control = { .header = { .cmsg_level = SOL_SOCKET,
		                  .cmsg_type = SCM_RIGHTS,
		                  .cmsg_len = CMSG_LEN(sizeof(int)) } };
	struct iovec iov = { .iov_base = (char[]){ SYC_CONTROL_TAKE },
		             .iov_len = SYC_CONTROL_REQUEST_LEN };
	const struct msghdr message = { .msg_iov = &iov,
		                        .msg_iovlen = 1,
		                        .msg_control = &control,
		                        .msg_controllen = sizeof(control) };

	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	return sendmsg(socket, &message, MSG_DONTWAIT) > 0;
}

/* A program or the system may have enlarged the socket's buffer. */
TEST(queued_arenas_are_taken_at_the_end)
{
	const struct syc_control_hooks hooks = {
		.request = refuse, .take = take, .late = note, .lost = note
	};
	const int size = 1 << 20;
	struct syc_control_server *server;
	int ours, command;
	unsigned n = 0;

	CHECK_EQ(syc_control_server_pair(&ours, &command), 0);
	CHECK_EQ(syc_control_server_new(ours, &hooks, &console, &server), 0);
	if (setsockopt(command, SOL_SOCKET, SO_SNDBUFFORCE, &size,
	               sizeof(size)) != 0)
		setsockopt(command, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	while (n < 1000 && hand_over(command, STDIN_FILENO))
		n++;
	syc_control_server_refuse(server);
	CHECK_EQ(n_taken, n);
	syc_control_server_free(server);
	close(command);
}
