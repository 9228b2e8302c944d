/* SPDX-License-Identifier: BSD-2-Clause */
/* thread.h - threads that record for the first time. */
#ifndef SYSCAP_PYTHON_THREAD_H
#define SYSCAP_PYTHON_THREAD_H

#include <stdbool.h>

#include "events/stable_abi.h"
/* behind Python.h, which wants to be the first */
#include <syscap.h>

/* Whether thread_meet() was called. */
extern __thread bool thread_is_met
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Have the calling thread be called as threading.Thread calls it, as Python
 * itself does since 3.14.  The main thread keeps its name, which is that of
 * the process, and so do threads that are not of threading.  An exception
 * that is set stays so.  Needs the GIL. */
void thread_meet(void);

/* The same of a thread that begins, of which threading knows nothing yet:
 * @thread is what it calls first as a method of. */
void thread_begin(PyObject *thread);

/* What each event asks: something records, and the thread has its name. */
static inline bool is_recorded(void)
{
	if (!syscap_is_active())
		return false;
	if (__builtin_expect(!thread_is_met, 0))
		thread_meet();
	return true;
}

#endif
