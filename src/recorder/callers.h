/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callers.h - processes that find the recorder by name: connections in, rings
 * out.
 *
 * The socket is in a directory of its own, mode 0700, which other users cannot
 * enter.  The directory is removed when its recorder ends, and one of a killed
 * recorder is removed by the next recorder.
 *
 * A caller is one connection, on which one thread usually requests one ring,
 * and then hangs up.  A process connects at an event, so that processes without
 * a ring can be reported.  No function waits, and no caller can keep others
 * out: those that were silent longest make room.
 */
#ifndef SYC_RECORDER_CALLERS_H
#define SYC_RECORDER_CALLERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

#include "recorder/console.h"
#include "recorder/control_server.h"

struct syc_listener {
	int fd; /* -1: there is none */
	struct sockaddr_un name;
};

/**
 * Create the directory, in $XDG_RUNTIME_DIR, else in $TMPDIR or /tmp, and
 * listen.  0; or -errno, with nothing left behind.
 */
int syc_listener_open(struct syc_listener *ret_listener);

/** No process can connect any more: remove the name and its directory. */
void syc_listener_close(struct syc_listener *listener);

struct syc_callers;

/**
 * Callers of @listener, an fd that stays the caller's.  @epoll watches them,
 * with @data and the number of a caller as data; 0: new connections.
 */
int syc_callers_new(int listener, int epoll, uint64_t data,
                    const struct syc_control_hooks *hooks,
                    struct syc_console *report,
                    struct syc_callers **ret_callers);
void syc_callers_free(struct syc_callers *callers);

/** Handle an event, by epoll's data. */
void syc_callers_take(struct syc_callers *callers, uint64_t data);

/**
 * Once a pass: send due replies, and listen again after a pause.  True: some
 * replies still wait.
 */
bool syc_callers_look(struct syc_callers *callers);

/** True: every ring that was sent has been fetched. */
bool syc_callers_fetched(const struct syc_callers *callers);

/**
 * Register the connected processes, send no more rings, and hang up.  Returns
 * the number of processes that never got a ring. @is_known returns whether a
 * pid has other rings.
 */
unsigned syc_callers_end(struct syc_callers *callers,
                         bool (*is_known)(void *context, int32_t pid),
                         void *context);

#endif
