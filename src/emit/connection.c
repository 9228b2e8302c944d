/* SPDX-License-Identifier: BSD-2-Clause */
/* connection.c - a recorder that is found by name. */
#define _GNU_SOURCE
#include "emit/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "emit/control.h"
#include "emit/process.h"
#include "os/fd.h"

/* Of the descriptors that it may have, one in so many is the program's. */
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

/* -------------------------------------------------------------- one of them */

static bool is_spare(int fd)
{
	struct rlimit files;

	return getrlimit(RLIMIT_NOFILE, &files) == 0 &&
	       (rlim_t)fd < files.rlim_cur - files.rlim_cur / SPARED;
}

/*
 * As bare system calls: no cancellation points, and a hundred bytes less in a
 * program for each function of the C library.
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

/* Anybody may have taken the name: we talk to our own user only. */
static bool is_of_our_user(int fd)
{
	struct ucred cred;
	socklen_t size = sizeof(cred);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) == 0 &&
	       cred.uid == (uid_t)syscall(SYS_geteuid);
}

/* Noted before it is of use to anybody: see syc_connection_forget() */
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

/* ------------------------------------------------------------------- parked */

enum {
	EMPTY,
	BUSY, /* somebody is at it: it is as good as not there */
	FULL
};

static bool change_parking(uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&syc_block->parking, &from, to,
	                                   false, __ATOMIC_ACQ_REL,
	                                   __ATOMIC_RELAXED);
}

/* A vfork() child has our memory, but descriptors of its own: what it parks
 * would be no descriptor of ours, and what it takes and closes stays open. */
static bool is_guest(void)
{
	return __atomic_load_n(&syc_process->pid, __ATOMIC_RELAXED) != getpid();
}

/* Whoever takes it has it alone. */
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
	if (is_guest() || !change_parking(EMPTY, BUSY)) {
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
	/* Of threads that waited when their process forked */
	for (uint32_t i = 0; i < syc_block->states_ever; i++)
		syc_connection_drop(&syc_block->mapped[i].connection);
	if (syc_block->parking == FULL)
		close_connection(&syc_block->parked);
	syc_block->parking = EMPTY;
}

/* ------------------------------------------------------------------ to ask */

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
	if (is_guest())
		return -ETIMEDOUT;
	return take_parked(&connection) ? receive_ring(&connection, 0)
	                                : -ENOENT;
}

int syc_connection_ask(struct syc_control_socket *noted, int64_t deadline)
{
	int r = open_connection(noted);

	if (r == 0) {
		/* A failure shows below: no answer comes */
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
	/* Hung up on, perhaps for want of room: the next attempt tells */
	return r == -EPIPE || r == -ESTALE ? -EAGAIN : r;
}
