/* SPDX-License-Identifier: BSD-2-Clause */
/* control.c - ask the recorder for a ring. */
#define _GNU_SOURCE
#include "emit/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "os/fd.h"
#include "ring/clock.h"
#include "ring/ring.h"

static int socket_option(int fd, int option)
{
	int value = -1;
	socklen_t size = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value
	                                                              : -1;
}

const char *syc_control_adopt(int fd, bool is_inherited,
                              struct syc_control_socket *ret_socket)
{
	struct sockaddr_un peer;
	socklen_t peer_size = sizeof(peer);
	struct ucred cred;
	socklen_t cred_size = sizeof(cred);
	struct stat st;

	if (fstat(fd, &st) != 0)
		return "SYSPROF_CONTROL_FD is not an open descriptor";
	if (!S_ISSOCK(st.st_mode) || socket_option(fd, SO_DOMAIN) != AF_UNIX ||
	    socket_option(fd, SO_TYPE) != SOCK_STREAM)
		return "SYSPROF_CONTROL_FD is not a Unix stream socket";
	if (syscall(SYS_getpeername, fd, &peer, &peer_size) != 0)
		return "the recorder is gone";
	if (peer_size > sizeof(sa_family_t))
		return "SYSPROF_CONTROL_FD is connected to a named socket, "
		       "not to a recorder";
	/* The kernel names the maker of the pair, not the holder of its end */
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &cred_size) != 0 ||
	    (cred.pid == getpid() && !is_inherited))
		return "SYSPROF_CONTROL_FD is a socket pair of this process";
	ret_socket->fd = fd;
	ret_socket->dev = st.st_dev;
	ret_socket->ino = st.st_ino;
	return NULL;
}

bool syc_control_is_same(const struct syc_control_socket *socket)
{
	return syc_fd_is_file(socket->fd, socket->dev, socket->ino);
}

/*
 * Returns 0, or -ETIMEDOUT when the deadline has passed.  Looks once more then:
 * it may be we who were kept from the processor, and what we wait for is there.
 */
static int wait_for_control(int fd, short events, int64_t deadline)
{
	for (;;) {
		const int64_t left =
			deadline != 0 ? deadline - syc_clock_kernel() : 0;
		struct pollfd pfd = { .fd = fd, .events = events };

		const int n = syc_fd_poll(
			&pfd, left > 0 ? (int)(left / 1000000) + 1 : 0);
		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (left <= 0)
			return -ETIMEDOUT;
	}
}

int syc_control_send_request(const struct syc_control_socket *socket,
                             int64_t deadline)
{
	size_t sent = 0;

	while (sent < SYC_CONTROL_REQUEST_LEN) {
		if (!syc_control_is_same(socket))
			return -ESTALE;
		const ssize_t n =
			syc_fd_send(socket->fd, &SYC_CONTROL_REQUEST[sent],
		                    SYC_CONTROL_REQUEST_LEN - sent,
		                    MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n >= 0) {
			sent += (size_t)n;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno == EPIPE || errno == ECONNRESET)
			return -EPIPE;
		if (errno != EAGAIN)
			return -errno;
		const int r = wait_for_control(socket->fd, POLLOUT, deadline);
		if (r != 0)
			return r;
	}
	return 0;
}

int syc_control_send_message(const struct syc_control_socket *socket,
                             const char *message, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr header;
	} control = { .header = { .cmsg_level = SOL_SOCKET,
		                  .cmsg_type = SCM_RIGHTS,
		                  .cmsg_len = CMSG_LEN(sizeof(int)) } };
	struct iovec iov = { .iov_base = (char *)(uintptr_t)message,
		             .iov_len = SYC_CONTROL_REQUEST_LEN };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (fd >= 0) {
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control.bytes);
	}
	if (!syc_control_is_same(socket))
		return -ESTALE;
	/* A filter may refuse sendmsg(), which only a descriptor needs */
	do {
		n = fd >= 0 ? syscall(SYS_sendmsg, socket->fd, &msg,
		                      MSG_NOSIGNAL | MSG_DONTWAIT)
		            : syc_fd_send(socket->fd, message,
		                          SYC_CONTROL_REQUEST_LEN,
		                          MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	return 0;
}

/* One descriptor, or -EBADMSG; whatever else came along is closed. */
static int take_fd(struct msghdr *msg)
{
	int taken = -EBADMSG;
	int n_taken = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL;
	     c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		const size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (fd < 0)
				continue;
			if (n_taken++ == 0)
				taken = fd;
			else
				syc_fd_close(fd);
		}
	}
	if (n_taken == 1 && (msg->msg_flags & MSG_CTRUNC) == 0)
		return syc_fd_release(0, taken);
	if (taken >= 0)
		syc_fd_close(taken);
	return -EBADMSG;
}

int syc_control_receive_ring(const struct syc_control_socket *socket,
                             int64_t deadline)
{
	for (;;) {
		char byte;
		union {
			char bytes[CMSG_SPACE(4 * sizeof(int))];
			struct cmsghdr align;
		} control;
		struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
		struct msghdr msg = { .msg_iov = &iov,
			              .msg_iovlen = 1,
			              .msg_control = &control,
			              .msg_controllen = sizeof(control) };

		if (!syc_control_is_same(socket))
			return -ESTALE;
		const unsigned held = syc_fd_hold();
		const ssize_t n = syscall(SYS_recvmsg, socket->fd, &msg,
		                          MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		syc_fd_release(held, -1);
		if (n > 0)
			return take_fd(&msg);
		if (n == 0)
			return -EPIPE;
		if (errno == EINTR)
			continue;
		if (errno == ECONNRESET)
			return -EPIPE;
		if (errno != EAGAIN)
			return -errno;
		const int r = wait_for_control(socket->fd, POLLIN, deadline);
		if (r != 0)
			return r;
	}
}
