/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * logs.h - the role "logs" of the preloaded library: messages that the program
 * sends through GLib, syslog() and to the journal, as LOG frames
 * (docs/collectors.md).
 */
#ifndef SYC_PRELOAD_LOGS_H
#define SYC_PRELOAD_LOGS_H

#include <sys/types.h>

/** Record a message to the journal: sendmsg() was called with @message and
 * returned @r.  Context: any-thread, signal-safe. */
void syc_logs_sent(ssize_t r, const void *message);

#endif
