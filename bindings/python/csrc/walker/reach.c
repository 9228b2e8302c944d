/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reach.c - threads that were there before sampling was (walker.h).
 *
 * Only a thread itself can attach.  So it gets a profile function, which is
 * called when it next calls something or returns, attaches, and takes itself
 * away.  A thread that has one of its own keeps that.
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
	/* A function that is left by an exception is reported, too */
	PyErr_Fetch(&type, &value, &traceback);
	PyEval_SetProfile(NULL, NULL);
	if (threads_attach() < 0)
		PyErr_WriteUnraisable(NULL);
	PyErr_Restore(type, value, traceback);
	return 0;
}

/* The first that is not told yet. */
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

	/* Each step may let other threads run: the list is read anew */
	while ((thread = find_unreached(&is_occupied)) != NULL)
		if (_PyEval_SetProfile(thread, on_call, NULL) < 0)
			return -1;
	return is_occupied;
}
