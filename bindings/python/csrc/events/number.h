/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * number.h - Python numbers for the library.
 *
 * Types are checked with or without a recording.  A value is never refused: an
 * event is not worth an exception.
 */
#ifndef SYSCAP_PYTHON_NUMBER_H
#define SYSCAP_PYTHON_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "events/args.h"

/* Is @object an int, or has it __index__?  If not, sets a TypeError that names
 * @what. */
static inline bool number_check(PyObject *object, const char *what)
{
	return PyLong_Check(object) || PyIndex_Check(object) ||
	       args_refuse(object, what, "int");
}

/* Like number_check(), but NULL and None are also valid. */
static inline bool number_check_optional(PyObject *object, const char *what)
{
	return object == NULL || object == Py_None ||
	       number_check(object, what);
}

/* @object, an int or float, as the nearest 64-bit integer; NaN is 0.  False:
 * another type; an exception is set. */
bool number_whole(PyObject *object, int64_t *ret_number);

/* @object, an int or float, as the nearest double. */
bool number_real(PyObject *object, double *ret_number);

#endif
