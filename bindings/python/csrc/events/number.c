/* SPDX-License-Identifier: BSD-2-Clause */
/* number.c - Python numbers for the library (number.h). */
#include "events/number.h"

#include <math.h>

static int64_t whole_of(double value)
{
	if (isnan(value))
		return 0;
	if (value >= 0x1p63)
		return INT64_MAX;
	if (value < -0x1p63)
		return INT64_MIN;
	return (int64_t)value;
}

bool number_whole(PyObject *object, int64_t *ret_number)
{
	int beyond = 0;

	if (PyFloat_Check(object)) {
		*ret_number = whole_of(PyFloat_AsDouble(object));
		return true;
	}
	const int64_t number = PyLong_AsLongLongAndOverflow(object, &beyond);
	if (number == -1 && PyErr_Occurred() != NULL)
		return false;
	*ret_number = beyond > 0 ? INT64_MAX : beyond < 0 ? INT64_MIN : number;
	return true;
}

bool number_real(PyObject *object, double *ret_number)
{
	int beyond = 0;
	const double number = PyFloat_AsDouble(object);

	if (number == -1.0 && PyErr_Occurred() != NULL) {
		/* The int is beyond all doubles */
		if (!PyErr_ExceptionMatches(PyExc_OverflowError) ||
		    !PyLong_Check(object))
			return false;
		PyErr_Clear();
		PyLong_AsLongLongAndOverflow(object, &beyond);
		*ret_number = beyond < 0 ? -HUGE_VAL : HUGE_VAL;
		return true;
	}
	*ret_number = number;
	return true;
}
