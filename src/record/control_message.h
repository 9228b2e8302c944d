/* SPDX-License-Identifier: BSD-2-Clause */
/* control_message.h - requests and replies, as messages on our end of a socket
 * that has SO_PASSCRED and does not wait. */
#ifndef SYC_RECORD_CONTROL_MESSAGE_H
#define SYC_RECORD_CONTROL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Who wrote it, 0 where that can't be told; and what came along, -1: not one
 * descriptor.  It belongs to the last of the bytes. */
struct syc_control_origin {
	int32_t pid;
	int fd;
};

/**
 * A descriptor that is given up for one that comes along: what finds no place
 * in the table is lost for ever, and its sender does not hear of that.
 */
struct syc_control_spare {
	int of; /* that it is a second one of */
	int fd; /* -1: none */
};

/** Open one, if possible. */
void syc_control_spare_keep(struct syc_control_spare *spare);
void syc_control_spare_close(struct syc_control_spare *spare);

/**
 * One message into @bytes, as recv(2) does.  A descriptor is to be closed, and
 * then syc_control_spare_keep() to be called.
 */
ssize_t syc_control_message_read(int socket, void *bytes, size_t size,
                                 struct syc_control_spare *spare,
                                 struct syc_control_origin *ret_origin);

/** A reply with the ring @fd, or -1: none.  0 or -errno. */
int syc_control_message_reply(int socket, int fd);

/** Whether the same reply may be possible later. */
bool syc_control_message_may_retry(int r);

#endif
