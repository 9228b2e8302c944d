/* SPDX-License-Identifier: BSD-2-Clause */
/* callers.c - processes that found the recorder by name. */
#define _GNU_SOURCE
#include "record/callers.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "record/caller.h"
#include "record/now.h"

#define ACCEPTS    64u   /* at once; then the rings get their turn */
#define AT_THE_END 8192u /* whoever is still to be met then */
#define NAMED_MAX  65536u
/* After so long we accept again, where there was no descriptor for one. */
#define PAUSE_NS INT64_C(20000000)

/* --------------------------------------------------------------- who came */

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
	    files.rlim_cur / 4 >= SYC_CALLERS_MAX)
		return SYC_CALLERS_MAX;
	return files.rlim_cur < 4 ? 1 : (unsigned)files.rlim_cur / 4;
}

int syc_callers_new(int listener, int epoll, uint64_t data,
                    const struct syc_control_hooks *hooks,
                    struct syc_record_report *report,
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
	callers->report = report;
	for (unsigned i = 0; i < SYC_CALLERS_MAX; i++)
		callers->callers[i].fd = -1;
	callers->is_listening = true;
	callers->max = choose_max();
	r = syc_caller_watch(callers, EPOLL_CTL_ADD, listener, EPOLLIN, 0);
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
	for (unsigned i = 0; i < SYC_CALLERS_MAX; i++)
		if (callers->callers[i].fd >= 0)
			syc_caller_hang_up(callers, &callers->callers[i]);
	syc_control_spare_close(&callers->spare);
	free(callers->without.items);
	free(callers);
}

/* The one that was silent longest: of @pid, if it has too many. */
static struct syc_connected *find_oldest(struct syc_callers *callers,
                                         int32_t pid)
{
	struct syc_connected *oldest = NULL, *own = NULL;
	unsigned n_own = 0;

	for (unsigned i = 0; i < SYC_CALLERS_MAX; i++) {
		struct syc_connected *const caller = &callers->callers[i];

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

/* What was sent to it can still be read after this; and what it has sent, an
 * arena perhaps, is read: it can't send more. */
static void make_room(struct syc_callers *callers, int32_t pid)
{
	struct syc_connected *const oldest = find_oldest(callers, pid);

	if (oldest == NULL)
		return;
	shutdown(oldest->fd, SHUT_RD);
	syc_caller_take(callers, oldest);
	if (oldest->fd >= 0)
		syc_caller_hang_up(callers, oldest);
}

/* ---------------------------------------------------------------- new ones */

/* Nobody else reaches the socket, and root needs no ring of ours. */
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

static struct syc_connected *find_free(struct syc_callers *callers)
{
	for (unsigned i = 0; i < SYC_CALLERS_MAX; i++)
		if (callers->callers[i].fd < 0)
			return &callers->callers[i];
	return NULL;
}

static void welcome_caller(struct syc_callers *callers, int fd)
{
	struct syc_connected *caller;
	int32_t pid;

	if (!is_of_our_user(fd, &pid)) {
		close(fd);
		return;
	}
	note_arrival(callers, pid);
	make_room(callers, pid);
	caller = find_free(callers);
	const uint64_t number = 1 + (uint64_t)(caller - callers->callers);
	if (syc_caller_watch(callers, EPOLL_CTL_ADD, fd, EPOLLIN, number) !=
	    0) {
		close(fd);
		return;
	}
	*caller = (struct syc_connected){ .fd = fd,
		                          .events = EPOLLIN,
		                          .pid = pid,
		                          .seen = ++callers->clock };
	callers->n++;
	syc_caller_take(callers, caller);
}

/* A connection waits that can't be accepted: without a pause epoll would tell
 * of it again and again. */
static void pause_listening(struct syc_callers *callers)
{
	syc_caller_watch(callers, EPOLL_CTL_MOD, callers->listener, 0, 0);
	callers->is_listening = false;
	callers->paused_until = syc_now() + PAUSE_NS;
}

/* Returns how many; at most @max. */
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
	else if (number <= SYC_CALLERS_MAX)
		syc_caller_take(callers, &callers->callers[number - 1]);
}

bool syc_callers_look(struct syc_callers *callers)
{
	for (unsigned i = 0; i < SYC_CALLERS_MAX && callers->n_due > 0; i++)
		if (callers->callers[i].has_ring_due)
			syc_caller_send_due(callers, &callers->callers[i]);
	if (!callers->is_listening && syc_now() >= callers->paused_until) {
		callers->is_listening = true;
		syc_caller_watch(callers, EPOLL_CTL_MOD, callers->listener,
		                 EPOLLIN, 0);
	}
	return callers->n_due > 0;
}

bool syc_callers_fetched(const struct syc_callers *callers)
{
	if (callers->n_due > 0)
		return false;
	for (unsigned i = 0; i < SYC_CALLERS_MAX; i++) {
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
	for (unsigned i = 0; i < SYC_CALLERS_MAX; i++)
		if (callers->callers[i].fd >= 0)
			syc_caller_take(callers, &callers->callers[i]);
	for (size_t i = 0; i < callers->without.n; i++)
		n += !is_known(context, callers->without.items[i]);
	return n;
}
