/* SPDX-License-Identifier: BSD-2-Clause */
/* caller.c - one connection of a process that found the recorder by name. */
#define _GNU_SOURCE
#include "record/caller.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "ring/ring.h"

#define READS 8u /* messages at once */

int syc_caller_watch(struct syc_callers *callers, int op, int fd,
                     uint32_t events, uint64_t number)
{
	struct epoll_event event = { .events = events,
		                     .data.u64 = callers->data | number };

	return epoll_ctl(callers->epoll, op, fd, &event) != 0 ? -errno : 0;
}

void syc_caller_hang_up(struct syc_callers *callers,
                        struct syc_connected *caller)
{
	if (caller->has_ring_due) {
		if (caller->due >= 0)
			close(caller->due);
		callers->n_due--;
	}
	close(caller->fd);
	*caller = (struct syc_connected){ .fd = -1 };
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
		syc_report_say(
			callers->report,
			"process %d sends what is no request on its connection; hung up",
			pid);
	callers->has_complained = true;
}

static bool has_gone(const struct syc_connected *caller)
{
	struct pollfd pfd = { .fd = caller->fd, .events = POLLRDHUP };

	return poll(&pfd, 1, 0) > 0 && (pfd.revents & (POLLHUP | POLLRDHUP));
}

/* A caller whose answer is due is not read from; that it hangs up is seen. */
static void listen_to(struct syc_callers *callers, struct syc_connected *caller,
                      uint32_t events)
{
	if (caller->events == events)
		return;
	caller->events = events;
	syc_caller_watch(callers, EPOLL_CTL_MOD, caller->fd, events,
	                 1 + (uint64_t)(caller - callers->callers));
}

void syc_caller_send_due(struct syc_callers *callers,
                         struct syc_connected *caller)
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

/* Not for one that has hung up: its process may be gone, and would be met all
 * the same. */
static void take_request(struct syc_callers *callers,
                         struct syc_connected *caller)
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
	syc_caller_send_due(callers, caller);
}

static bool is_word(const char *bytes, ssize_t n, const char *word)
{
	return n == SYC_CONTROL_REQUEST_LEN &&
	       memcmp(bytes, word, SYC_CONTROL_REQUEST_LEN) == 0;
}

/* False: it is to be hung up on. */
static bool take_message(struct syc_callers *callers,
                         struct syc_connected *caller, const char *bytes,
                         ssize_t n, int fd)
{
	const bool is_late = is_word(bytes, n, SYC_CONTROL_GAVE);

	if (is_late || is_word(bytes, n, SYC_CONTROL_TAKE)) {
		/* Refused, it is counted there */
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

/* False: it has hung up, or is to be. */
static bool read_one(struct syc_callers *callers, struct syc_connected *caller)
{
	struct syc_control_origin origin;
	char bytes[SYC_CONTROL_REQUEST_LEN + 1];
	bool goes_on;
	const ssize_t n = syc_control_message_read(
		caller->fd, bytes, sizeof(bytes), &callers->spare, &origin);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	caller->seen = ++callers->clock;
	if (origin.pid > 0) /* of a forked child: not who connected */
		caller->pid = origin.pid;
	goes_on = n > 0 && take_message(callers, caller, bytes, n, origin.fd);
	if (origin.fd >= 0)
		close(origin.fd);
	syc_control_spare_keep(&callers->spare);
	return goes_on;
}

static bool has_more(const struct syc_connected *caller)
{
	struct pollfd pfd = { .fd = caller->fd, .events = POLLIN };

	return poll(&pfd, 1, 0) > 0;
}

void syc_caller_take(struct syc_callers *callers, struct syc_connected *caller)
{
	if (caller->fd >= 0 && caller->has_ring_due && has_gone(caller))
		syc_caller_hang_up(callers, caller);
	for (unsigned i = 0; i < READS && caller->fd >= 0; i++) {
		/* One answer at a time: who does not read them waits */
		if (caller->has_ring_due || !has_more(caller))
			return;
		if (!read_one(callers, caller))
			syc_caller_hang_up(callers, caller);
	}
}
