/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * control.h - ask the recorder for a ring.
 *
 * The socket is inherited and shared with every relative of the process; the
 * number in the environment may by now be somebody else's file.  So it is
 * used only if it is an unnamed AF_UNIX stream socket whose other end another
 * process made, and only as long as it stays the same one.  Its flags, which
 * are shared too, are left alone.
 */
#ifndef SYC_CONTROL_H
#define SYC_CONTROL_H

#include <stdint.h>

/** How long a thread waits for a recorder that is known to answer. */
#define SYC_CONTROL_TIMEOUT_MS 250

/** Which socket. */
struct syc_control_socket {
	int fd; /* -1: none */
	uint64_t dev, ino;
};

/**
 * Look whether @fd is a control socket.  Returns NULL and fills *@ret_socket,
 * which goes into the block; or why it is refused.
 *
 * Context: setup.
 */
const char *syc_control_adopt(int fd, struct syc_control_socket *ret_socket);

/**
 * Request a ring; receive one.  Both wait until @deadline (ns; 0: not at all)
 * and hold no lock: several threads may wait at once, and since all replies
 * are alike it does not matter who receives which, as long as nobody takes
 * more than were asked for.
 *
 * They return 0 and a descriptor (close-on-exec), or
 *	-ESTALE     the number is not our socket any more: ask never again
 *	-EPIPE      the recorder is gone: ask never again
 *	-ETIMEDOUT  no room for the request; no answer
 *	-EBADMSG    an answer without a ring
 *	other       a system call failed
 *
 * Context: any-thread, signal-safe; cancellation is off.
 */
int syc_control_send_request(int64_t deadline);
int syc_control_receive_ring(int64_t deadline);

#endif
