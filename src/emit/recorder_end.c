/* SPDX-License-Identifier: BSD-2-Clause */
/* recorder_end.c - check for the end of the recorder. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/process.h"
#include "emit/recorder.h"
#include "emit/ring_source.h"
#include "os/fd.h"
#include "os/signals.h"

static bool is_hung_up(int fd)
{
	struct pollfd pfd = { .fd = fd };

	return syc_fd_poll(&pfd, 0) == 1 && (pfd.revents & POLLHUP) != 0;
}

/*
 * Parent of the directory with the recorder's socket.  If the recorder was
 * killed, the next recorder removes the socket and its directory, but not this
 * parent.  Both words are set before there are ticks.
 */
static dev_t parent_dev;
static ino_t parent_ino;

/* Look up the parent of the directory of @path. */
static bool find_parent(const char *path, struct stat *ret_st)
{
	char home[sizeof(((struct sockaddr_un *)0)->sun_path)];
	size_t len = strlen(path);

	for (int i = 0; i < 2; i++)
		while (len > 1 && path[--len] != '/')
			;
	memcpy(home, path, len);
	home[len] = '\0';
	return stat(home, ret_st) == 0;
}

void syc_recorder_end_note(void)
{
	struct stat st;

	if (syc_block_is_there() && syc_block->recorder->sun_family != 0 &&
	    find_parent(syc_block->recorder->sun_path, &st)) {
		parent_dev = st.st_dev;
		parent_ino = st.st_ino;
	}
}

/* Return whether the name was removed.  Returns false if this process has
 * another root directory. */
static bool is_name_removed(const struct sockaddr_un *address)
{
	struct stat st;

	return parent_ino != 0 && find_parent(address->sun_path, &st) &&
	       st.st_dev == parent_dev && st.st_ino == parent_ino;
}

/* Return whether no process listens at @address, by a connection of a socket of
 * another type.  If a process listens, the kernel refuses with EPROTOTYPE, and
 * the listener does not notice. */
static bool has_no_listener(const struct sockaddr_un *address)
{
	const unsigned held = syc_fd_hold();
	const int fd = syc_fd_release(
		held, (int)syscall(SYS_socket, AF_UNIX,
	                           SOCK_DGRAM | SOCK_CLOEXEC, 0));

	if (fd < 0)
		return false;
	const int r = syscall(SYS_connect, fd, address, sizeof(*address)) == 0
	                      ? 0
	                      : errno;
	syc_fd_close(fd);
	return r == ECONNREFUSED || (r == ENOENT && is_name_removed(address));
}

bool syc_recorder_end_look(void)
{
	const int saved = errno;
	struct syc_undisturbed before;
	bool has_ended;

	if (!syc_block_is_there() || syc_destination_sink() != SYC_SINK_CONTROL)
		return false;
	if (syc_slot_stop_if_over())
		return true;
	syc_undisturbed_begin(&before);
	if (syc_ring_request_is_by_name())
		has_ended = has_no_listener(syc_block->recorder);
	else
		has_ended = syc_control_is_same(&syc_block->control) &&
		            is_hung_up(syc_block->control.fd);
	syc_undisturbed_end(&before);
	if (has_ended && syscap_is_active())
		syc_process_turn_off("the recorder has ended");
	errno = saved;
	return has_ended;
}
