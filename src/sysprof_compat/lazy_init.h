/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lazy_init.h - decision at the first event whether events are recorded.
 *
 * The rest of the library reads the environment once, when it is loaded
 * (decision 0003).  Callers of libsysprof-capture-4 expect that a thread's
 * first event reads the environment.  If neither SYSPROF_CONTROL_FD nor
 * SYSPROF_TRACE_FD was set at load, the process's first event, or a call that
 * depends on the decision, reads both variables again.
 *
 * A signal handler can't do the set-up.  If the caller may be a handler
 * (os/signals.h), the decision at load is kept.
 *
 * Each file of the collector includes this header, so that the linker includes
 * lazy_init.c.
 */
#ifndef SYC_SYSPROF_COMPAT_LAZY_INIT_H
#define SYC_SYSPROF_COMPAT_LAZY_INIT_H

#include <syscap/emit.h>

extern const char syc_lazy_init_link;
__attribute__((used)) static const char *const syc_lazy_init_is_linked =
	&syc_lazy_init_link;

/** Decide now if the decision was deferred.  Context: any-thread,
 * signal-safe. */
void syc_lazy_init_decide(void);

/** Like syc_lazy_init_decide(), for calls that depend on the decision before an
 * event.  Context: any-thread, signal-safe. */
static inline void syc_lazy_init_check(void)
{
	if (SYC_UNLIKELY(__atomic_load_n(&syc_active, __ATOMIC_RELAXED) < 0))
		syc_lazy_init_decide();
}

#endif
