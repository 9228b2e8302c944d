/* SPDX-License-Identifier: BSD-2-Clause */
/* recorder_end.c - whether the recorder has ended; see recorder_end.h. */
#define _GNU_SOURCE
#include "emit/recorder_end.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/ask.h"
#include "emit/control.h"
#include "emit/process.h"
#include "emit/sink.h"
#include "emit/slot.h"

static bool is_hung_up(int fd)
{
	struct pollfd pfd = { .fd = fd };

	return poll(&pfd, 1, 0) == 1 && (pfd.revents & POLLHUP) != 0;
}

/*
 * A socket of another kind is refused by who listens there (EPROTOTYPE), who
 * never hears of it.  A name that is not there may be in another root.
 */
static bool is_deserted(const struct sockaddr_un *address)
{
	const int fd =
		(int)syscall(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return false;
	const bool is_refused =
		syscall(SYS_connect, fd, address, sizeof(*address)) != 0 &&
		errno == ECONNREFUSED;
	close(fd);
	return is_refused;
}

bool syc_recorder_end_look(void)
{
	const int saved = errno;
	bool has_ended;

	if (!syc_block_is_there() || syc_destination_sink() != SYC_SINK_CONTROL)
		return false;
	if (syc_slot_stop_if_over())
		return true;
	if (syc_ask_is_by_name())
		has_ended = is_deserted(syc_block->recorder);
	else
		has_ended = syc_control_is_same(&syc_block->control) &&
		            is_hung_up(syc_block->control.fd);
	if (has_ended && syscap_is_active())
		syc_process_turn_off("the recorder is gone");
	errno = saved;
	return has_ended;
}
