/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * number.h - numbers of Python as the library wants them.
 *
 * Types are checked whether something records or not; a value is never refused:
 * an event is not worth an exception.
 */
#ifndef SYSCAP_PYTHON_NUMBER_H
#define SYSCAP_PYTHON_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "events/args.h"

/* Whether @object is an int, or has __index__; else TypeError is set, which
 * names @what. */
static inline bool number_check(PyObject *object, const char *what)
{
	return PyLong_Check(object) || PyIndex_Check(object) ||
	       args_refuse(object, what, "int");
}

/* The same; None, or nothing, is one too. */
static inline bool number_check_optional(PyObject *object, const char *what)
{
	return object == NULL || object == Py_None ||
	       number_check(object, what);
}

/* @object, an int or float, as the nearest whole number of 64 bits; NaN is 0.
 * False: it is neither, and an exception is set. */
bool number_whole(PyObject *object, int64_t *ret_number);

/* The same, as the nearest double. */
bool number_real(PyObject *object, double *ret_number);

#endif
