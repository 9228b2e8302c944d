/* SPDX-License-Identifier: BSD-2-Clause */
/* control_message.c - requests and replies. */
#define _GNU_SOURCE
#include "record/control_message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

static int32_t credentials(struct msghdr *message)
{
	struct cmsghdr *cmsg;
	struct ucred ucred = { .pid = 0 };

	for (cmsg = CMSG_FIRSTHDR(message); cmsg != NULL;
	     cmsg = CMSG_NXTHDR(message, cmsg))
		if (cmsg->cmsg_level == SOL_SOCKET &&
		    cmsg->cmsg_type == SCM_CREDENTIALS)
			memcpy(&ucred, CMSG_DATA(cmsg), sizeof(ucred));
	return (int32_t)ucred.pid;
}

ssize_t syc_control_message_read(int socket, void *bytes, size_t size,
                                 int32_t *ret_pid)
{
	/* No room for descriptors: the kernel drops those that are sent. */
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec iov = { .iov_base = bytes, .iov_len = size };
	struct msghdr message = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	const ssize_t n =
		recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n >= 0)
		*ret_pid = credentials(&message);
	return n;
}

int syc_control_message_reply(int socket, int fd)
{
	char byte = 0;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd >= 0) {
		memset(&control, 0, sizeof(control));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	if (sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return -errno;
	return 0;
}

/* Also with too many descriptors on their way. */
bool syc_control_message_may_retry(int r)
{
	return r == -EAGAIN || r == -EINTR || r == -ENOBUFS || r == -ENOMEM ||
	       r == -ETOOMANYREFS;
}
