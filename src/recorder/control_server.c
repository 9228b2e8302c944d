/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * control_server.c - the recorder's end of the control socket, and the socket's
 * messages.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "recorder/ring_requests.h"
#include "ring/ring.h"

/*
 * Space for more fds than one message should have, because the kernel silently
 * drops fds without space.
 */
#define DESCRIPTORS 4u

/* Keep a single fd.  Among several fds, the intended fd is unknown. */
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

/* Return whether the error is temporary: a full socket, no memory, or too many
 * fds in flight. */
bool syc_control_message_may_retry(int r)
{
	return r == -EAGAIN || r == -EINTR || r == -ENOBUFS || r == -ENOMEM ||
	       r == -ETOOMANYREFS;
}

#define SENDERS 256u /* senders of half a request or of invalid data */
#define QUEUE   256u /* rings that wait for space in the socket */
#define READS   8u   /* messages read per turn, before the rings are drained */
#define MESSAGE 1280u
/* Greatest number of reads at the end, because some senders never fall
 * silent */
#define LAST_READS 8192u

struct sender {
	int32_t pid;            /* 0: the entry is free */
	unsigned word, matched; /* message in progress, and the bytes so far */
	bool complained;
	uint64_t seen;
};

struct syc_control_server {
	int fd;
	struct syc_control_spare spare;
	bool closed, refusing;
	struct syc_control_hooks hooks;
	struct syc_console *console;
	uint64_t clock;
	struct sender senders[SENDERS];
	int queue[QUEUE];
	unsigned first, queued;
	uint64_t refusals; /* replies due after the queue */
};

int syc_control_server_pair(int *ret_ours, int *ret_command)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
	               fds) != 0)
		return -errno;
	*ret_ours = fds[1];
	*ret_command = fds[0];
	if (fds[0] > STDERR_FILENO)
		return 0;
	/* Use an fd above 2, because closed standard streams stay closed for
	 * the command. */
	*ret_command = fcntl(fds[0], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fds[0]);
	return *ret_command < 0 ? -errno : 0;
}

int syc_control_server_new(int fd, const struct syc_control_hooks *hooks,
                           struct syc_console *console,
                           struct syc_control_server **ret_server)
{
	struct syc_control_server *server = calloc(1, sizeof(*server));
	const int on = 1;

	if (server == NULL)
		return -ENOMEM;
	if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) != 0) {
		const int r = -errno;

		free(server);
		return r;
	}
	server->fd = fd;
	server->spare = (struct syc_control_spare){ .of = fd, .fd = -1 };
	syc_control_spare_keep(&server->spare);
	server->hooks = *hooks;
	server->console = console;
	*ret_server = server;
	return 0;
}

void syc_control_server_free(struct syc_control_server *server)
{
	if (server == NULL)
		return;
	for (; server->queued > 0; server->queued--)
		close(server->queue[server->first++ % QUEUE]);
	syc_control_spare_close(&server->spare);
	close(server->fd);
	free(server);
}

/*
 * Get the sender's entry.  A new sender replaces the sender that was silent
 * longest.
 */
static struct sender *get_sender(struct syc_control_server *server, int32_t pid)
{
	struct sender *oldest = &server->senders[0];

	for (unsigned i = 0; i < SENDERS; i++) {
		struct sender *sender = &server->senders[i];

		if (sender->pid == pid && sender->seen > 0)
			return sender;
		if (sender->seen < oldest->seen)
			oldest = sender;
	}
	*oldest = (struct sender){ .pid = pid };
	return oldest;
}

static void take_request(struct syc_control_server *server, int32_t pid)
{
	int fd = -ECANCELED;

	if (server->queued == QUEUE)
		syc_control_server_write(server);
	if (!server->refusing && server->queued < QUEUE)
		fd = server->hooks.request(server->hooks.context, pid,
		                           server->queued > 0);
	if (fd == -EMFILE && server->queued > 0) {
		syc_control_server_write(
			server); /* close the fds that were sent */
		fd = server->hooks.request(server->hooks.context, pid, false);
	}
	if (fd >= 0)
		server->queue[(server->first + server->queued++) % QUEUE] = fd;
	else if (fd != -EAGAIN)
		server->refusals++;
}

static const char words[][SYC_CONTROL_REQUEST_LEN] = {
	SYC_CONTROL_REQUEST, SYC_CONTROL_TAKE, SYC_CONTROL_HAVE,
	SYC_CONTROL_GAVE,    SYC_CONTROL_LOST,
};
enum {
	WORD_REQUEST,
	WORD_TAKE,
	WORD_HAVE,
	WORD_GAVE,
	WORD_LOST,
	N_WORDS,
};

/* Begin a message at its first byte, which occurs nowhere else in a message. */
static void begin_word(struct sender *sender, char byte)
{
	sender->matched = 0;
	for (unsigned i = 0; i < N_WORDS; i++)
		if (words[i][0] == byte) {
			sender->word = i;
			sender->matched = 1;
		}
}

static void complain_of(struct syc_control_server *server,
                        struct sender *sender)
{
	if (!sender->complained)
		syc_console_print(
			server->console,
			"ignored an invalid request of process %d on the "
			"control socket",
			sender->pid);
	sender->complained = true;
}

static void take_word(struct syc_control_server *server, unsigned word,
                      int32_t pid, int fd)
{
	if (word == WORD_REQUEST)
		take_request(server, pid);
	else if (word == WORD_TAKE || word == WORD_GAVE)
		server->hooks.take(server->hooks.context, pid, fd,
		                   word == WORD_GAVE);
	else if (word == WORD_HAVE)
		server->hooks.late(server->hooks.context, pid);
	else
		server->hooks.lost(server->hooks.context, pid);
}

/* Process the bytes of a read.  The kernel delivers the fd with the last bytes,
 * so the fd belongs to the last message. */
static void take_bytes(struct syc_control_server *server,
                       const struct syc_control_origin *origin,
                       const char *bytes, size_t size)
{
	struct sender *sender = get_sender(server, origin->pid);
	bool is_used = origin->fd < 0;

	sender->seen = ++server->clock;
	for (size_t i = 0; i < size; i++) {
		if (sender->matched > 0 &&
		    bytes[i] == words[sender->word][sender->matched]) {
			sender->matched++;
		} else {
			const bool is_within = sender->matched > 0;

			begin_word(sender, bytes[i]);
			if (is_within || sender->matched == 0)
				complain_of(server, sender);
		}
		if (sender->matched < SYC_CONTROL_REQUEST_LEN)
			continue;
		const bool is_last = i + 1 == size;
		sender->matched = 0;
		is_used |= is_last && (sender->word == WORD_TAKE ||
		                       sender->word == WORD_GAVE);
		take_word(server, sender->word, origin->pid,
		          is_last ? origin->fd : -1);
	}
	if (!is_used)
		complain_of(server, sender);
}

bool syc_control_server_read(struct syc_control_server *server)
{
	struct syc_control_origin origin;
	char bytes[MESSAGE];

	for (unsigned i = 0; i < READS && !server->closed; i++) {
		const ssize_t n = syc_control_message_read(
			server->fd, bytes, sizeof(bytes), &server->spare,
			&origin);

		if (n > 0)
			take_bytes(server, &origin, bytes, (size_t)n);
		else if (n < 0 && errno == EAGAIN)
			break;
		else if (n == 0 || errno != EINTR)
			server->closed = true;
		if (origin.fd >= 0)
			close(origin.fd);
		syc_control_spare_keep(&server->spare);
	}
	/*
	 * Reply after reading, because a waiting process may take another
	 * process' reply, and end before its own request is read.
	 */
	syc_control_server_write(server);
	return !server->closed;
}

bool syc_control_server_write(struct syc_control_server *server)
{
	while (server->queued > 0 || server->refusals > 0) {
		int fd = -1, r;

		if (server->queued > 0)
			fd = server->queue[server->first % QUEUE];
		r = syc_control_message_reply(server->fd, fd);
		if (syc_control_message_may_retry(r))
			return true;
		/* Any other result means that the reply was sent, or has no
		 * receiver. */
		if (fd >= 0) {
			close(fd);
			server->first++;
			server->queued--;
		} else {
			server->refusals--;
		}
	}
	return false;
}

bool syc_control_server_fetched(const struct syc_control_server *server)
{
	int unread = 0;

	return server->queued == 0 &&
	       (ioctl(server->fd, SIOCOUTQ, &unread) != 0 || unread == 0);
}

static bool has_unread(const struct syc_control_server *server)
{
	struct pollfd pfd = { .fd = server->fd, .events = POLLIN };

	return poll(&pfd, 1, 0) > 0;
}

void syc_control_server_refuse(struct syc_control_server *server)
{
	server->refusing = true;
	for (; server->queued > 0; server->queued--) {
		close(server->queue[server->first++ % QUEUE]);
		server->refusals++;
	}
	/* Read until the socket is empty, because its capacity depends on the
	 * system and the sender */
	for (unsigned i = 0; i < LAST_READS && has_unread(server) &&
	                     syc_control_server_read(server);
	     i++)
		;
	syc_control_server_write(server);
}
