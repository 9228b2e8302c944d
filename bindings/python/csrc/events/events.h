/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * events.h - the parts of syscap._events.
 *
 * It is a module of the main interpreter only: what is static here is Python's
 * and ends with it.
 */
#ifndef SYSCAP_PYTHON_EVENTS_H
#define SYSCAP_PYTHON_EVENTS_H

#include "events/stable_abi.h"

extern PyMethodDef mark_methods[];
extern PyMethodDef scope_methods[];
extern PyMethodDef counter_methods[];
extern PyMethodDef recording_methods[];
extern PyMethodDef sampler_methods[];

/* Each adds its types to @module; less than 0 with an exception set. */
int scope_add(PyObject *module);
int traced_add(PyObject *module);
int counter_add(PyObject *module);

/* The exception that @error, a negative errno, is, with @message.  NULL. */
PyObject *raise_error(int error, const char *message);

#endif
