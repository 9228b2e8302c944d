/* SPDX-License-Identifier: BSD-2-Clause */
/* thread.h - names for threads at their first event. */
#ifndef SYSCAP_PYTHON_THREAD_H
#define SYSCAP_PYTHON_THREAD_H

#include <stdbool.h>

#include "events/stable_abi.h"
/* after Python.h, which must be first */
#include <syscap.h>

/* True if thread_meet() was called. */
extern __thread bool thread_is_met
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Give the calling thread its name in threading.Thread, like Python since 3.14.
 * The main thread keeps the process's name.  Threads unknown to threading keep
 * their names, too.  The call keeps a pending exception, and needs the GIL. */
void thread_meet(void);

/* Name a starting thread that is not registered in threading yet.  @thread is
 * the object of the thread's first method call. */
void thread_begin(PyObject *thread);

/* True during a recording.  Each event calls this function, which also names
 * the thread. */
static inline bool is_recorded(void)
{
	if (!syscap_is_active())
		return false;
	if (__builtin_expect(!thread_is_met, 0))
		thread_meet();
	return true;
}

#endif
