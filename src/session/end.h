/* SPDX-License-Identifier: BSD-2-Clause */
/* end.h - the end of a recording, and of the process. */
#ifndef SYC_SESSION_END_H
#define SYC_SESSION_END_H

#include <stdint.h>

struct syc_session;

/**
 * Write out the rings, for @flush_ns at most, and free @session, which is no
 * longer syc_process->session.  Memory that another thread may still use is not
 * freed.  Returns 0 or -errno.
 *
 * Context: any-thread; the caller holds syc_process->life, signals blocked.
 */
int syc_end_session(struct syc_session *session, int64_t flush_ns);

/** The process exits: write out the rings, for a short time.  Events of later
 * destructors are not recorded.  Context: any-thread. */
void syc_end_at_exit(void);

#endif
