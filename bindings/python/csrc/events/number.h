/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * number.h - Python numbers for the library.
 *
 * Types are checked with or without a recording.  A value never raises an
 * exception, since an event must not stop the program.
 */
#ifndef SYSCAP_PYTHON_NUMBER_H
#define SYSCAP_PYTHON_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "events/args.h"

/* True if @object is an int or has __index__.  Otherwise sets a TypeError that
 * names @what. */
static inline bool number_check(PyObject *object, const char *what)
{
	return PyLong_Check(object) || PyIndex_Check(object) ||
	       args_refuse(object, what, "int");
}

/* Check as number_check() does, but NULL and None are also valid. */
static inline bool number_check_optional(PyObject *object, const char *what)
{
	return object == NULL || object == Py_None ||
	       number_check(object, what);
}

/* Convert @object, an int or float, to the nearest 64-bit integer; NaN is 0.
 * Returns false with an exception set for another type. */
bool number_whole(PyObject *object, int64_t *ret_number);

/* Convert @object, an int or float, to the nearest double. */
bool number_real(PyObject *object, double *ret_number);

#endif
