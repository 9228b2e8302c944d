/* SPDX-License-Identifier: BSD-2-Clause */
/* args.h - arguments of a fast call, by position or by name. */
#ifndef SYSCAP_PYTHON_ARGS_H
#define SYSCAP_PYTHON_ARGS_H

#include <stdbool.h>

#include "events/stable_abi.h"

#define ARGS_MAX 8

struct args_form {
	const char *function;
	Py_ssize_t n_needed;
	Py_ssize_t n_places; /* arguments by position; others only by name */
	const char *names[ARGS_MAX];
};

/* Set a TypeError, since the argument @what has the value @object and should be
 * @wanted.  Returns false. */
bool args_refuse(PyObject *object, const char *what, const char *wanted);

/* Fill @values with borrowed references to all arguments of @form, NULL for
 * missing arguments.  On failure, returns false with a TypeError set. */
bool args_get_named(const struct args_form *form, PyObject *const *args,
                    Py_ssize_t n, PyObject *kwnames, PyObject **values);

static inline bool args_get(const struct args_form *form, PyObject *const *args,
                            Py_ssize_t n, PyObject *kwnames, PyObject **values)
{
	if (kwnames != NULL || n < form->n_needed || n > form->n_places)
		return args_get_named(form, args, n, kwnames, values);
	for (Py_ssize_t i = 0; i < n; i++)
		values[i] = args[i];
	for (Py_ssize_t i = n; i < ARGS_MAX && form->names[i] != NULL; i++)
		values[i] = NULL;
	return true;
}

#endif
