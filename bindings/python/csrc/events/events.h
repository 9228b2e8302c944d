/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * events.h - the parts of syscap._events.
 *
 * The module is only for the main interpreter, since its static objects belong
 * to Python and end with the main interpreter.
 */
#ifndef SYSCAP_PYTHON_EVENTS_H
#define SYSCAP_PYTHON_EVENTS_H

#include "events/stable_abi.h"

extern PyMethodDef mark_methods[];
extern PyMethodDef scope_methods[];
extern PyMethodDef counter_methods[];
extern PyMethodDef recording_methods[];
extern PyMethodDef sampler_methods[];

/* Each function adds its types to @module.  Less than 0: an exception is
 * set. */
int scope_add(PyObject *module);
int traced_add(PyObject *module);
int counter_add(PyObject *module);

/*
 * Raises the exception for @error, a negative errno, with @message: ValueError
 * for -EINVAL, otherwise the class @name of syscap/_errors.py.  Returns NULL.
 */
PyObject *raise_error(const char *name, int error, const char *message);

#endif
