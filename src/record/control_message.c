/* SPDX-License-Identifier: BSD-2-Clause */
/* control_message.c - requests and replies. */
#define _GNU_SOURCE
#include "record/control_message.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for more descriptors than anybody should send: the kernel would say
 * nothing of the others. */
#define DESCRIPTORS 4u

/* One is kept; of several we don't know which was meant. */
static int choose_descriptor(const struct cmsghdr *cmsg, int had)
{
	const size_t n = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	int fds[DESCRIPTORS];

	memcpy(fds, CMSG_DATA(cmsg),
	       (n < DESCRIPTORS ? n : DESCRIPTORS) * sizeof(int));
	if (n == 1 && had < 0)
		return fds[0];
	for (size_t i = 0; i < n && i < DESCRIPTORS; i++)
		close(fds[i]);
	if (had >= 0)
		close(had);
	return -1;
}

static void read_origin(struct msghdr *message,
                        struct syc_control_origin *origin)
{
	struct ucred ucred = { .pid = 0 };

	origin->fd = -1;
	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(message); cmsg != NULL;
	     cmsg = CMSG_NXTHDR(message, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET)
			continue;
		if (cmsg->cmsg_type == SCM_CREDENTIALS)
			memcpy(&ucred, CMSG_DATA(cmsg), sizeof(ucred));
		else if (cmsg->cmsg_type == SCM_RIGHTS)
			origin->fd = choose_descriptor(cmsg, origin->fd);
	}
	origin->pid = (int32_t)ucred.pid;
}

void syc_control_spare_keep(struct syc_control_spare *spare)
{
	if (spare->fd < 0)
		spare->fd = fcntl(spare->of, F_DUPFD_CLOEXEC, 0);
}

void syc_control_spare_close(struct syc_control_spare *spare)
{
	if (spare->fd >= 0)
		close(spare->fd);
	spare->fd = -1;
}

ssize_t syc_control_message_read(int socket, void *bytes, size_t size,
                                 struct syc_control_spare *spare,
                                 struct syc_control_origin *ret_origin)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(struct ucred)) +
		           CMSG_SPACE(DESCRIPTORS * sizeof(int))];
	} control;
	struct iovec iov = { .iov_base = bytes, .iov_len = size };
	struct msghdr message = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct syc_control_origin origin = { .fd = -1 };
	ssize_t n;
	int error;

	syc_control_spare_close(spare);
	n = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	error = errno;
	if (n >= 0)
		read_origin(&message, &origin);
	if (origin.fd < 0)
		syc_control_spare_keep(spare);
	*ret_origin = origin;
	errno = error;
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
