/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callers.h - processes that found the recorder by name: connections in, rings
 * out.
 *
 * A caller is one connection, on which one thread asks for one ring, usually,
 * and then hangs up.  Who connects has had an event, so that processes that
 * never got a ring can be told of.  Nothing here waits, and nobody can keep
 * others out: those that were silent longest make room.
 */
#ifndef SYC_RECORD_CALLERS_H
#define SYC_RECORD_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/control_server.h"
#include "record/report.h"

struct syc_callers;

/**
 * Those of @listener, a descriptor that stays the caller's.  They are watched
 * by @epoll, with @data and the number of a caller as data; 0: who connects.
 */
int syc_callers_new(int listener, int epoll, uint64_t data,
                    const struct syc_control_hooks *hooks,
                    struct syc_record_report *report,
                    struct syc_callers **ret_callers);
void syc_callers_free(struct syc_callers *callers);

/** Something happened, as epoll's data say. */
void syc_callers_take(struct syc_callers *callers, uint64_t data);

/** Once a pass: send what is due, and listen again after a pause.  True:
 * something is still to be sent. */
bool syc_callers_look(struct syc_callers *callers);

/** True: every ring that was sent has been fetched. */
bool syc_callers_fetched(const struct syc_callers *callers);

/**
 * Meet those who have connected, give nobody a ring any more, and hang up.
 * Returns how many processes never got one; @is_known tells who has rings from
 * elsewhere.
 */
unsigned syc_callers_end(struct syc_callers *callers,
                         bool (*is_known)(void *context, int32_t pid),
                         void *context);

#endif
