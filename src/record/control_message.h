/* SPDX-License-Identifier: BSD-2-Clause */
/* control_message.h - requests and replies, as messages on our end of a socket
 * that has SO_PASSCRED and does not wait. */
#ifndef SYC_RECORD_CONTROL_MESSAGE_H
#define SYC_RECORD_CONTROL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * One message into @bytes, as recv(2) does, and by whom: his pid, 0 where that
 * can't be told.  Descriptors that come along are dropped.
 */
ssize_t syc_control_message_read(int socket, void *bytes, size_t size,
                                 int32_t *ret_pid);

/** A reply with the ring @fd, or -1: none.  0 or -errno. */
int syc_control_message_reply(int socket, int fd);

/** Whether the same reply may be possible later. */
bool syc_control_message_may_retry(int r);

#endif
