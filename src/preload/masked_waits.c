/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * masked_waits.c - waits with a mask, for the library that only samples.  A
 * wait with a mask must not end by a tick that the thread had blocked
 * (eintr_restart.h).  Any other call is a jump to the real function.
 */
#define _GNU_SOURCE
#include <stddef.h>

#include "preload/eintr_restart.h"
#include "preload/real_call.h"

#define WAIT(name, params, args)                                          \
	SYC_EXPORTED int take_##name params __asm__(#name);               \
	SYC_EXPORTED int take_##name params                               \
	{                                                                 \
		SYC_REAL_CALL(#name);                                     \
		const uintptr_t next = syc_real_call_get(&call);          \
                                                                          \
		if (__builtin_expect(next == 0, 0))                       \
			return (int)syc_real_missing();                   \
		return SYC_RESTART(name, false, mask != NULL, next) args; \
	}

WAIT(epoll_pwait,
     (int fd, struct epoll_event *events, int n, int timeout,
      const sigset_t *mask),
     (fd, events, n, timeout, mask))
WAIT(epoll_pwait2,
     (int fd, struct epoll_event *events, int n, struct timespec *timeout,
      const sigset_t *mask),
     (fd, events, n, timeout, mask))
WAIT(ppoll,
     (struct pollfd * fds, nfds_t n, struct timespec *timeout,
      const sigset_t *mask),
     (fds, n, timeout, mask))
WAIT(__ppoll_chk,
     (struct pollfd * fds, nfds_t n, struct timespec *timeout,
      const sigset_t *mask, size_t room),
     (fds, n, timeout, mask, room))
WAIT(pselect,
     (int n, fd_set *to_read, fd_set *to_write, fd_set *other,
      struct timespec *timeout, const sigset_t *mask),
     (n, to_read, to_write, other, timeout, mask))
WAIT(sigsuspend, (const sigset_t *mask), (mask))
