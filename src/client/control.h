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
#ifndef SC_CONTROL_H
#define SC_CONTROL_H

#include <stdint.h>

/** How long a recorder may take to answer. */
#define SC_CONTROL_TIMEOUT_MS 250

/** Which socket. */
struct sc_control_socket {
	int fd; /* -1: none */
	uint64_t dev, ino;
};

/**
 * Look whether @fd is a control socket.  Returns NULL and fills *@ret_socket,
 * which goes into the block; or why it is refused.
 *
 * Context: setup.
 */
const char *sc_control_adopt(int fd, struct sc_control_socket *ret_socket);

/**
 * Request a ring, and wait for it at most SC_CONTROL_TIMEOUT_MS; as long for
 * the socket to take the request, if it is full.  Holds no
 * lock: several threads may wait at once, and since all replies are alike
 * it does not matter who receives which.
 *
 * Returns its descriptor (close-on-exec), or
 *	-ESTALE     the number is not our socket any more: ask never again
 *	-EPIPE      the recorder is gone: ask never again
 *	-ETIMEDOUT  no answer
 *	-EBADMSG    an answer without a ring
 *	other       a system call failed
 *
 * Context: any-thread, signal-safe; not a cancellation point.
 */
int sc_control_request_ring(void);

#endif
