/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * logs.h - the role "logs" of the preloaded library: what the program says
 * through GLib, syslog() and to the journal, as LOG frames
 * (docs/collectors.md).
 *
 * Each goes where it went without us, with the same result.
 */
#ifndef SYC_PRELOAD_LOGS_H
#define SYC_PRELOAD_LOGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SYC_LOGS_OFF 1u
#define SYC_LOGS_ON  2u

/** 0: the environment cannot be read yet. */
extern uint32_t syc_logs_role;

/** Look what the environment asks for.  Too early: it stays undecided.
 * Context: any-thread. */
void syc_logs_decide(void);

/** Context: any-thread. */
static inline bool syc_logs_are_wanted(void)
{
	uint32_t role = __atomic_load_n(&syc_logs_role, __ATOMIC_RELAXED);

	if (__builtin_expect(role == 0, 0)) {
		syc_logs_decide();
		role = __atomic_load_n(&syc_logs_role, __ATOMIC_RELAXED);
	}
	return __builtin_expect(role == SYC_LOGS_ON, 0);
}

/** The role is asked for, and something is recorded.  Context: any-thread,
 * signal-safe. */
bool syc_logs_is_on(void);

/** The calling thread's message is recorded already: what is sent to the
 * journal until the matching end is that.  Context: any-thread. */
void syc_logs_begin_told(void);
void syc_logs_end_told(void);
bool syc_logs_is_told(void);

/** sendmsg() was called with @message and returned @r.  Context: any-thread,
 * signal-safe. */
void syc_logs_sent(ssize_t r, const void *message);

#endif
