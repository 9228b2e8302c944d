/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_requests.c - connections of processes that find the recorder by name.
 */
#define _GNU_SOURCE
#include "recorder/ring_requests.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/containers.h"
#include "common/now.h"
#include "recorder/recorder.h"
#include "ring/ring.h"

/*
 * Greatest number of connections.  All connections take at most a quarter of
 * the fd limit.  One process has at most a quarter of the connections.
 */
#define CONNECTIONS_MAX 1024u

/** Connection of one caller. */
struct connection {
	int fd; /* -1: the place is free */
	int32_t pid;
	uint32_t events;   /* events requested from epoll */
	bool has_ring_due; /* `due` is valid: an fd, or -1 for "no ring" */
	int due;
	uint64_t seen;
};

/** All connections. */
struct syc_callers {
	int listener, epoll;
	struct syc_control_spare spare;
	uint64_t data;
	struct syc_control_hooks hooks;
	struct syc_console *console;
	bool has_complained, is_listening;
	int64_t paused_until;
	uint64_t clock;
	unsigned n, n_due;
	unsigned max; /* maximum number of connections */
	struct connection callers[CONNECTIONS_MAX];
	SYC_ARRAY(int32_t)
	without; /* processes that connected and have no
	          * ring */
};

#define READS 8u /* messages per read */

/*
 * Let epoll report @events of @fd, with the number of a caller.  Returns 0 or
 * -errno.
 */
static int watch_caller(struct syc_callers *callers, int op, int fd,
                        uint32_t events, uint64_t number)
{
	struct epoll_event event = { .events = events,
		                     .data.u64 = callers->data | number };

	return epoll_ctl(callers->epoll, op, fd, &event) != 0 ? -errno : 0;
}

/* Free a caller's place. */
static void hang_up(struct syc_callers *callers, struct connection *caller)
{
	if (caller->has_ring_due) {
		if (caller->due >= 0)
			close(caller->due);
		callers->n_due--;
	}
	close(caller->fd);
	*caller = (struct connection){ .fd = -1 };
	callers->n--;
}

static void note_ring(struct syc_callers *callers, int32_t pid)
{
	for (size_t i = 0; i < callers->without.n; i++)
		if (callers->without.items[i] == pid) {
			callers->without.items[i] =
				callers->without.items[--callers->without.n];
			return;
		}
}

static void complain_of(struct syc_callers *callers, int32_t pid)
{
	if (!callers->has_complained)
		syc_console_print(
			callers->console,
			"closed the connection of process %d after an invalid "
			"request",
			pid);
	callers->has_complained = true;
}

static bool has_gone(const struct connection *caller)
{
	struct pollfd pfd = { .fd = caller->fd, .events = POLLRDHUP };

	return poll(&pfd, 1, 0) > 0 && (pfd.revents & (POLLHUP | POLLRDHUP));
}

/* Watch a caller.  A caller with a due reply is not read, but the recorder
 * notices a hang-up. */
static void listen_to(struct syc_callers *callers, struct connection *caller,
                      uint32_t events)
{
	if (caller->events == events)
		return;
	caller->events = events;
	watch_caller(callers, EPOLL_CTL_MOD, caller->fd, events,
	             1 + (uint64_t)(caller - callers->callers));
}

/* Send the due reply, or wait until the socket has space. */
static void send_due(struct syc_callers *callers, struct connection *caller)
{
	const int r = syc_control_message_reply(caller->fd, caller->due);

	if (r != 0 && syc_control_message_may_retry(r)) {
		listen_to(callers, caller, 0);
		return;
	}
	listen_to(callers, caller, EPOLLIN);
	if (r == 0 && caller->due >= 0)
		note_ring(callers, caller->pid);
	if (caller->due >= 0)
		close(caller->due);
	caller->has_ring_due = false;
	callers->n_due--;
}

/*
 * Accept a request, unless the caller has hung up, because an ended process
 * must not be registered.
 */
static void take_request(struct syc_callers *callers, struct connection *caller)
{
	int fd;

	if (has_gone(caller))
		return;
	fd = callers->hooks.request(callers->hooks.context, caller->pid, false);
	if (fd == -EAGAIN)
		return;
	caller->has_ring_due = true;
	caller->due = fd >= 0 ? fd : -1;
	callers->n_due++;
	send_due(callers, caller);
}

static bool is_word(const char *bytes, ssize_t n, const char *word)
{
	return n == SYC_CONTROL_REQUEST_LEN &&
	       memcmp(bytes, word, SYC_CONTROL_REQUEST_LEN) == 0;
}

/* Handle a message.  Returns false if the connection must be closed. */
static bool take_message(struct syc_callers *callers, struct connection *caller,
                         const char *bytes, ssize_t n, int fd)
{
	const bool is_late = is_word(bytes, n, SYC_CONTROL_GAVE);

	if (is_late || is_word(bytes, n, SYC_CONTROL_TAKE)) {
		/* take() counts a refusal */
		note_ring(callers, caller->pid);
		callers->hooks.take(callers->hooks.context, caller->pid, fd,
		                    is_late);
	} else if (is_word(bytes, n, SYC_CONTROL_HAVE)) {
		note_ring(callers, caller->pid);
		callers->hooks.late(callers->hooks.context, caller->pid);
	} else if (is_word(bytes, n, SYC_CONTROL_LOST)) {
		note_ring(callers, caller->pid);
		callers->hooks.lost(callers->hooks.context, caller->pid);
	} else if (is_word(bytes, n, SYC_CONTROL_REQUEST)) {
		take_request(callers, caller);
	} else {
		complain_of(callers, caller->pid);
		return false;
	}
	return true;
}

/* Read one message.  Returns false if the connection must be closed. */
static bool read_one(struct syc_callers *callers, struct connection *caller)
{
	struct syc_control_origin origin;
	char bytes[SYC_CONTROL_REQUEST_LEN + 1];
	bool goes_on;
	const ssize_t n = syc_control_message_read(
		caller->fd, bytes, sizeof(bytes), &callers->spare, &origin);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	caller->seen = ++callers->clock;
	if (origin.pid > 0) /* a forked child, which did not connect, may send a
	                     * message */
		caller->pid = origin.pid;
	goes_on = n > 0 && take_message(callers, caller, bytes, n, origin.fd);
	if (origin.fd >= 0)
		close(origin.fd);
	syc_control_spare_keep(&callers->spare);
	return goes_on;
}

static bool has_more(const struct connection *caller)
{
	struct pollfd pfd = { .fd = caller->fd, .events = POLLIN };

	return poll(&pfd, 1, 0) > 0;
}

/*
 * Read a bounded number of a caller's messages.  Close the connection if the
 * caller has closed its end, or sends an invalid message.
 */
static void take_requests(struct syc_callers *callers,
                          struct connection *caller)
{
	if (caller->fd >= 0 && caller->has_ring_due && has_gone(caller))
		hang_up(callers, caller);
	for (unsigned i = 0; i < READS && caller->fd >= 0; i++) {
		/* Send one reply at a time, so that callers that do not read
		 * wait */
		if (caller->has_ring_due || !has_more(caller))
			return;
		if (!read_one(callers, caller))
			hang_up(callers, caller);
	}
}

/* Number of callers handled before the next drain of the rings. */
#define ACCEPTS    64u
#define AT_THE_END 8192u /* number of processes to register at the end */
#define NAMED_MAX  65536u
/* Pause after accept() found no free fd. */
#define PAUSE_NS INT64_C(20000000)

/* ---------------------------------------------------------- connections */

static void note_arrival(struct syc_callers *callers, int32_t pid)
{
	for (size_t i = 0; i < callers->without.n; i++)
		if (callers->without.items[i] == pid)
			return;
	if (callers->without.n < NAMED_MAX)
		(void)syc_array_push(&callers->without, pid);
}

/* ------------------------------------------------------------- connections */

static unsigned choose_max(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0 ||
	    files.rlim_cur / 4 >= CONNECTIONS_MAX)
		return CONNECTIONS_MAX;
	return files.rlim_cur < 4 ? 1 : (unsigned)files.rlim_cur / 4;
}

int syc_callers_new(int listener, int epoll, uint64_t data,
                    const struct syc_control_hooks *hooks,
                    struct syc_console *console,
                    struct syc_callers **ret_callers)
{
	struct syc_callers *const callers = calloc(1, sizeof(*callers));
	int r;

	if (callers == NULL)
		return -ENOMEM;
	callers->listener = listener;
	callers->epoll = epoll;
	callers->spare = (struct syc_control_spare){ .of = epoll, .fd = -1 };
	callers->data = data;
	callers->hooks = *hooks;
	callers->console = console;
	for (unsigned i = 0; i < CONNECTIONS_MAX; i++)
		callers->callers[i].fd = -1;
	callers->is_listening = true;
	callers->max = choose_max();
	r = watch_caller(callers, EPOLL_CTL_ADD, listener, EPOLLIN, 0);
	if (r != 0) {
		free(callers);
		return r;
	}
	syc_control_spare_keep(&callers->spare);
	*ret_callers = callers;
	return 0;
}

void syc_callers_free(struct syc_callers *callers)
{
	if (callers == NULL)
		return;
	for (unsigned i = 0; i < CONNECTIONS_MAX; i++)
		if (callers->callers[i].fd >= 0)
			hang_up(callers, &callers->callers[i]);
	syc_control_spare_close(&callers->spare);
	free(callers->without.items);
	free(callers);
}

/*
 * Return the caller that was silent longest, among the callers of @pid if @pid
 * has too many connections.
 */
static struct connection *find_oldest(struct syc_callers *callers, int32_t pid)
{
	struct connection *oldest = NULL, *own = NULL;
	unsigned n_own = 0;

	for (unsigned i = 0; i < CONNECTIONS_MAX; i++) {
		struct connection *const caller = &callers->callers[i];

		if (caller->fd < 0)
			continue;
		if (oldest == NULL || caller->seen < oldest->seen)
			oldest = caller;
		if (caller->pid != pid)
			continue;
		n_own++;
		if (own == NULL || caller->seen < own->seen)
			own = caller;
	}
	if (own != NULL && n_own >= callers->max / 4)
		return own;
	return callers->n >= callers->max ? oldest : NULL;
}

/*
 * Close the oldest connection if all places are in use.  The caller can still
 * read replies, and the recorder first reads sent messages, such as an arena.
 */
static void make_room(struct syc_callers *callers, int32_t pid)
{
	struct connection *const oldest = find_oldest(callers, pid);

	if (oldest == NULL)
		return;
	shutdown(oldest->fd, SHUT_RD);
	take_requests(callers, oldest);
	if (oldest->fd >= 0)
		hang_up(callers, oldest);
}

/* ---------------------------------------------------------------- new ones */

/*
 * Return whether the caller is of the recorder's user.  Apart from root, which
 * needs no ring, no other user can reach the socket.
 */
static bool is_of_our_user(int fd, int32_t *ret_pid)
{
	struct ucred cred;
	socklen_t size = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) != 0 ||
	    cred.uid != geteuid())
		return false;
	*ret_pid = (int32_t)cred.pid;
	return true;
}

static struct connection *find_free(struct syc_callers *callers)
{
	for (unsigned i = 0; i < CONNECTIONS_MAX; i++)
		if (callers->callers[i].fd < 0)
			return &callers->callers[i];
	return NULL;
}

static void welcome_caller(struct syc_callers *callers, int fd)
{
	struct connection *caller;
	int32_t pid;

	if (!is_of_our_user(fd, &pid)) {
		close(fd);
		return;
	}
	note_arrival(callers, pid);
	make_room(callers, pid);
	caller = find_free(callers);
	const uint64_t number = 1 + (uint64_t)(caller - callers->callers);
	if (watch_caller(callers, EPOLL_CTL_ADD, fd, EPOLLIN, number) != 0) {
		close(fd);
		return;
	}
	*caller = (struct connection){ .fd = fd,
		                       .events = EPOLLIN,
		                       .pid = pid,
		                       .seen = ++callers->clock };
	callers->n++;
	take_requests(callers, caller);
}

/*
 * Pause if a waiting connection cannot be accepted.  Without a pause, epoll
 * would report the connection continuously.
 */
static void pause_listening(struct syc_callers *callers)
{
	watch_caller(callers, EPOLL_CTL_MOD, callers->listener, 0, 0);
	callers->is_listening = false;
	callers->paused_until = syc_now() + PAUSE_NS;
}

/* Accept waiting callers.  Returns the number of accepted callers, at most
 * @max. */
static unsigned accept_some(struct syc_callers *callers, unsigned max)
{
	unsigned n = 0;

	while (n < max) {
		const int fd = accept4(callers->listener, NULL, NULL,
		                       SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			welcome_caller(callers, fd);
			n++;
			continue;
		}
		if (errno == EINTR || errno == ECONNABORTED)
			continue;
		if (errno != EAGAIN)
			pause_listening(callers);
		break;
	}
	return n;
}

void syc_callers_take(struct syc_callers *callers, uint64_t data)
{
	const uint64_t number = data & ~callers->data;

	if (number == 0)
		accept_some(callers, ACCEPTS);
	else if (number <= CONNECTIONS_MAX)
		take_requests(callers, &callers->callers[number - 1]);
}

bool syc_callers_look(struct syc_callers *callers)
{
	for (unsigned i = 0; i < CONNECTIONS_MAX && callers->n_due > 0; i++)
		if (callers->callers[i].has_ring_due)
			send_due(callers, &callers->callers[i]);
	if (!callers->is_listening && syc_now() >= callers->paused_until) {
		callers->is_listening = true;
		watch_caller(callers, EPOLL_CTL_MOD, callers->listener, EPOLLIN,
		             0);
	}
	return callers->n_due > 0;
}

bool syc_callers_fetched(const struct syc_callers *callers)
{
	if (callers->n_due > 0)
		return false;
	for (unsigned i = 0; i < CONNECTIONS_MAX; i++) {
		int unread = 0;

		if (callers->callers[i].fd >= 0 &&
		    ioctl(callers->callers[i].fd, SIOCOUTQ, &unread) == 0 &&
		    unread > 0)
			return false;
	}
	return true;
}

static int refuse_request(void *context, int32_t pid, bool may_retry)
{
	(void)context;
	(void)pid;
	(void)may_retry;
	return -ECANCELED;
}

unsigned syc_callers_end(struct syc_callers *callers,
                         bool (*is_known)(void *context, int32_t pid),
                         void *context)
{
	unsigned n = 0;

	callers->hooks.request = refuse_request;
	accept_some(callers, AT_THE_END);
	for (unsigned i = 0; i < CONNECTIONS_MAX; i++)
		if (callers->callers[i].fd >= 0)
			take_requests(callers, &callers->callers[i]);
	for (size_t i = 0; i < callers->without.n; i++)
		n += !is_known(context, callers->without.items[i]);
	return n;
}
