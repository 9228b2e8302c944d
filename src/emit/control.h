/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * control.h - ask the recorder for a ring, over a socket that leads to it.
 *
 * One such socket is inherited and shared with every relative of the process;
 * the number in the environment may by now be somebody else's file.  So it is
 * used only if it is an unnamed AF_UNIX stream socket that this program has not
 * made, and only as long as it stays the same one.  Its flags, which are shared
 * too, are left alone.  The others are connections (connection.h).
 */
#ifndef SYC_EMIT_CONTROL_H
#define SYC_EMIT_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "copies/block.h"

/** How long a thread waits for a recorder that is known to answer. */
#define SYC_CONTROL_TIMEOUT_MS 250

/**
 * Look whether @fd is a control socket.  Returns NULL and fills *@ret_socket,
 * which goes into the block; or why it is refused.  @is_inherited: main() has
 * not begun, so that only inherited descriptors exist, and a socket pair that
 * this process made is one of the program that it was before exec.
 *
 * Context: setup.
 */
const char *syc_control_adopt(int fd, bool is_inherited,
                              struct syc_control_socket *ret_socket);

/** Whether @socket still is what its number stands for. */
bool syc_control_is_same(const struct syc_control_socket *socket);

/**
 * Request a ring over @socket; receive one.  Both wait until @deadline (ns; 0: not at all)
 * and hold no lock: several threads may wait at once, and since all replies
 * are alike it does not matter who receives which, as long as nobody takes
 * more than were asked for.
 *
 * They return 0 and a descriptor (close-on-exec), or
 *	-ESTALE     the number is not our socket any more: never use it again
 *	-EPIPE      the recorder is gone, or has closed this connection
 *	-ETIMEDOUT  no room for the request; no answer
 *	-EBADMSG    an answer without a ring
 *	other       a system call failed
 *
 * Context: any-thread, signal-safe; cancellation is off.
 */
int syc_control_send_request(const struct syc_control_socket *socket,
                             int64_t deadline);
int syc_control_receive_ring(const struct syc_control_socket *socket,
                             int64_t deadline);

/**
 * Send @message, SYC_CONTROL_REQUEST_LEN bytes, with @fd, -1: without one; in one
 * piece, at once or not at all.  0 or -errno: as above, or -EAGAIN.
 *
 * Context: any-thread, signal-safe; cancellation is off.
 */
int syc_control_send_message(const struct syc_control_socket *socket,
                             const char *message, int fd);

#endif
