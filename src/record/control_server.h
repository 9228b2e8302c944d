/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * control_server.h - our end of the control socket: requests in, rings out;
 * and arenas in.
 *
 * All processes of a recording share the other end.  The kernel tells who
 * wrote what (SO_PASSCRED) and never puts bytes of two writers into one
 * message, so that requests are put together for each sender by itself and
 * the garbage of one does not disturb another.  Replies carry no name: any of
 * them answers any request, so that one that nobody fetches serves the next.
 * Nothing here waits.
 */
#ifndef SYC_RECORD_CONTROL_SERVER_H
#define SYC_RECORD_CONTROL_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "record/report.h"

struct syc_control_server;

/** What to do with what is sent. */
struct syc_control_hooks {
	/*
	 * Returns a ring's descriptor, which is closed once it was sent;
	 * -EAGAIN: leave the sender without an answer; another -errno: tell
	 * it that there is no ring.  @may_retry: after -EMFILE it is asked
	 * again, with fewer descriptors open.
	 */
	int (*request)(void *context, int32_t pid, bool may_retry);
	/* @pid hands its rings over in @fd, which the caller closes; -1: what
	 * it sent did not arrive.  @is_late: those of which it told before; but
	 * what is sent by two sockets may arrive in the other order. */
	void (*take)(void *context, int32_t pid, int fd, bool is_late);
	/* @pid has rings that it can't hand over yet: it may not live that long. */
	void (*late)(void *context, int32_t pid);
	/* @pid could not hand its rings over, and ends. */
	void (*lost)(void *context, int32_t pid);
	void *context;
};

/**
 * Make the pair of sockets: ours, and the one whose number the command gets.
 * Both are close-on-exec until the command's is passed on, and non-blocking.
 */
int syc_control_server_pair(int *ret_ours, int *ret_command);

/** The socket at @fd becomes the server's. */
int syc_control_server_new(int fd, const struct syc_control_hooks *hooks,
                           struct syc_record_report *report,
                           struct syc_control_server **ret_server);
void syc_control_server_free(struct syc_control_server *server);

/** Take requests, a bounded number of them.  False: nobody can send more. */
bool syc_control_server_read(struct syc_control_server *server);

/** Send what is due.  True: something still is. */
bool syc_control_server_write(struct syc_control_server *server);

/** True: every ring that was sent has been fetched. */
bool syc_control_server_fetched(const struct syc_control_server *server);

/** No more rings: answer all that is there with none. */
void syc_control_server_refuse(struct syc_control_server *server);

#endif
