/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * caller.h - one connection of a process that found the recorder by name: what
 * it says, and what it is answered.  Nothing here waits.
 */
#ifndef SYC_RECORD_CALLER_H
#define SYC_RECORD_CALLER_H

#include "record/callers_state.h"

/** Have epoll tell @events of @fd, with the number of a caller; -errno. */
int syc_caller_watch(struct syc_callers *callers, int op, int fd,
                     uint32_t events, uint64_t number);

/** Read what it has sent, some messages at most; who has hung up, or sends what
 * is no request, is hung up on. */
void syc_caller_take(struct syc_callers *callers, struct syc_connected *caller);

/** Send the answer that is due, or wait until it can be sent. */
void syc_caller_send_due(struct syc_callers *callers,
                         struct syc_connected *caller);

/** Its place is free then. */
void syc_caller_hang_up(struct syc_callers *callers,
                        struct syc_connected *caller);

#endif
