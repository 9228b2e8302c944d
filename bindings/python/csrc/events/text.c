/* SPDX-License-Identifier: BSD-2-Clause */
/* text.c - str as the library wants it (text.h). */
#include "events/text.h"

bool text_refuse(PyObject *object, const char *what)
{
	PyObject *const type = PyObject_Type(object);
	PyObject *const name =
		type != NULL ? PyObject_GetAttrString(type, "__name__") : NULL;

	if (name != NULL)
		PyErr_Format(PyExc_TypeError, "%s must be str, not %U", what,
		             name);
	Py_XDECREF(name);
	Py_XDECREF(type);
	return false;
}

static bool get_escaped(struct text *text, PyObject *str)
{
	PyErr_Clear();
	text->owner =
		PyUnicode_AsEncodedString(str, "utf-8", "backslashreplace");
	if (text->owner == NULL)
		return false;
	text->utf8 = PyBytes_AsString(text->owner);
	return text->utf8 != NULL;
}

bool text_get(struct text *text, PyObject *object)
{
	text->owner = NULL;
	text->utf8 = NULL;
	if (object == NULL || object == Py_None)
		return true;
	text->utf8 = PyUnicode_AsUTF8AndSize(object, NULL);
	return text->utf8 != NULL || get_escaped(text, object);
}
