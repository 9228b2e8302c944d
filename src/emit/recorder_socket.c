/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder_socket.c - messages to the recorder, over the inherited socket or a
 * connection to its name.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "emit/process.h"
#include "emit/recorder.h"
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
		return "the recorder has ended";
	if (peer_size > sizeof(sa_family_t))
		return "SYSPROF_CONTROL_FD is connected to a named socket, "
		       "not to a recorder";
	/* The kernel reports the pid of the process that made the pair */
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
 * Returns 0, or -ETIMEDOUT after the deadline.  Checks once more after the
 * deadline, because this thread may have had no processor time until then.
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
	/* A filter may refuse sendmsg(), which only a message with an fd
	 * needs */
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

/* Returns the only fd of @msg, or -EBADMSG.  Closes all other fds. */
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

/* One of SPARED possible fds is reserved for the program. */
#define SPARED 8

bool syc_connection_adopt(const char *path, struct sockaddr_un *ret_address)
{
	const size_t len = strlen(path);
	const int fd = *path == '/' && len < sizeof(ret_address->sun_path)
	                       ? syc_fd_open(path, O_PATH, 0)
	                       : -1;

	if (fd < 0)
		return false;
	syc_fd_close(fd);
	memcpy(ret_address->sun_path, path, len + 1);
	ret_address->sun_family = AF_UNIX;
	return true;
}

/* ------------------------------------------------------------ connections */

static bool is_spare(int fd)
{
	struct rlimit files;

	return getrlimit(RLIMIT_NOFILE, &files) == 0 &&
	       (rlim_t)fd < files.rlim_cur - files.rlim_cur / SPARED;
}

/*
 * Raw system calls are not cancellation points.  Each raw call that replaces a
 * function of the C library makes a program a hundred bytes smaller.
 */
static int make_socket(void)
{
	const unsigned held = syc_fd_hold();
	const int fd = syc_fd_release(
		held,
		(int)syscall(SYS_socket, AF_UNIX,
	                     SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));

	if (fd < 0 || is_spare(fd))
		return syc_fd_keep(fd);
	syc_fd_close(fd);
	return -1;
}

static int connect_to(int fd, const struct sockaddr_un *address)
{
	return syscall(SYS_connect, fd, address, sizeof(*address)) == 0
	               ? 0
	               : -errno;
}

static void close_connection(const struct syc_control_socket *connection)
{
	if (syc_control_is_same(connection))
		syc_fd_close(connection->fd);
}

/* Return whether the listener belongs to this process's user.  Another user may
 * have taken the name. */
static bool is_of_our_user(int fd)
{
	struct ucred cred;
	socklen_t size = sizeof(cred);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) == 0 &&
	       cred.uid == (uid_t)syscall(SYS_geteuid);
}

/* Open a connection.  The function notes the socket before the connection
 * exists: see syc_connection_forget() */
static int open_connection(struct syc_control_socket *noted)
{
	struct stat st;
	const int fd = make_socket();
	int r = -EMFILE;

	if (fd >= 0 && fstat(fd, &st) == 0) {
		*noted = (struct syc_control_socket){ .fd = fd,
			                              .dev = st.st_dev,
			                              .ino = st.st_ino };
		r = connect_to(fd, syc_block->recorder);
		if (r == 0 && !is_of_our_user(fd))
			r = -EACCES;
	}
	if (fd >= 0 && r != 0)
		syc_fd_close(fd);
	return r;
}

/* -------------------------------------------------- the parked connection */

enum {
	EMPTY,
	BUSY, /* another thread changes the value: treat the connection as
	       * absent */
	FULL
};

static bool change_parking(uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&syc_block->parking, &from, to,
	                                   false, __ATOMIC_ACQ_REL,
	                                   __ATOMIC_RELAXED);
}

/* Return whether this process is a vfork() child.  A vfork() child has the
 * parent's memory, but other fds.  The parent does not have an fd that the
 * child parks.  An fd that the child closes stays open in the parent. */
static bool is_vfork_child(void)
{
	return __atomic_load_n(&syc_process->pid, __ATOMIC_RELAXED) != getpid();
}

/* Take the parked connection.  After the exchange no other thread has this
 * connection. */
static bool take_parked(struct syc_control_socket *ret_connection)
{
	if (!change_parking(FULL, BUSY))
		return false;
	*ret_connection = syc_block->parked;
	change_parking(BUSY, EMPTY);
	return true;
}

static void park_connection(const struct syc_control_socket *connection)
{
	if (is_vfork_child() || !change_parking(EMPTY, BUSY)) {
		close_connection(connection);
		return;
	}
	syc_block->parked = *connection;
	change_parking(BUSY, FULL);
}

void syc_connection_drop(struct syc_control_socket *noted)
{
	if (noted->fd > STDERR_FILENO)
		close_connection(noted);
	noted->fd = 0;
}

void syc_connection_forget(void)
{
	/* Connections of threads that waited during the fork */
	for (uint32_t i = 0; i < syc_block->states_ever; i++)
		syc_connection_drop(&syc_block->mapped[i].connection);
	if (syc_block->parking == FULL)
		close_connection(&syc_block->parked);
	syc_block->parking = EMPTY;
}

/* --------------------------------------------------------------- requests */

static int receive_ring(const struct syc_control_socket *connection,
                        int64_t deadline)
{
	const int r = syc_control_receive_ring(connection, deadline);

	if (r == -ETIMEDOUT)
		park_connection(connection);
	else
		close_connection(connection);
	return r;
}

int syc_connection_look(void)
{
	struct syc_control_socket connection;

	if (__atomic_load_n(&syc_block->parking, __ATOMIC_RELAXED) == EMPTY)
		return -ENOENT;
	if (is_vfork_child())
		return -ETIMEDOUT;
	return take_parked(&connection) ? receive_ring(&connection, 0)
	                                : -ENOENT;
}

int syc_connection_request(struct syc_control_socket *noted, int64_t deadline)
{
	int r = open_connection(noted);

	if (r == 0) {
		/* If this call fails, no answer comes, and the next call
		 * returns the error */
		syc_control_send_request(noted, 0);
		r = receive_ring(noted, deadline);
	}
	noted->fd = 0;
	return r;
}

int syc_connection_send(struct syc_control_socket *noted, const char *message,
                        int fd)
{
	int r = open_connection(noted);

	if (r == 0) {
		r = syc_control_send_message(noted, message, fd);
		close_connection(noted);
	}
	noted->fd = 0;
	/* If the recorder closed the connection, perhaps for lack of space, try
	 * again */
	return r == -EPIPE || r == -ESTALE ? -EAGAIN : r;
}
