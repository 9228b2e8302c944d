/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reach.c - threads older than the sampling (walker.h).
 *
 * Only a thread itself can attach.  So each older thread gets a profile
 * function, which CPython calls at the thread's next call or return.  The
 * profile function attaches the thread, and removes itself.  A thread with its
 * own profile function keeps its function.
 */
#include "walker/walker.h"

#if PY_VERSION_HEX >= 0x030D0000
#include <internal/pycore_ceval.h>
#endif

static int on_call(PyObject *self, PyFrameObject *frame, int what,
                   PyObject *argument)
{
	PyObject *type, *value, *traceback;

	(void)self;
	(void)frame;
	(void)what;
	(void)argument;
	/* The call may come from a function left by an exception */
	PyErr_Fetch(&type, &value, &traceback);
	PyEval_SetProfile(NULL, NULL);
	if (threads_attach() < 0)
		PyErr_WriteUnraisable(NULL);
	PyErr_Restore(type, value, traceback);
	return 0;
}

/* The first thread without the profile function. */
static PyThreadState *find_unreached(bool *ret_occupied)
{
	PyThreadState *t =
		PyInterpreterState_ThreadHead(_PyRuntime.interpreters.main);

	*ret_occupied = false;
	for (; t != NULL; t = PyThreadState_Next(t)) {
		if (threads_has(t) || t->c_profilefunc == on_call)
			continue;
		if (t->c_profilefunc == NULL)
			return t;
		*ret_occupied = true;
	}
	return NULL;
}

int reach_threads(void)
{
	bool is_occupied;
	PyThreadState *thread;

	/* Reads the list again after each step, which may let other threads
	 * run */
	while ((thread = find_unreached(&is_occupied)) != NULL)
		if (_PyEval_SetProfile(thread, on_call, NULL) < 0)
			return -1;
	return is_occupied;
}
