/* SPDX-License-Identifier: BSD-2-Clause */
/* args.c - arguments of a fast call, by position or by name (args.h). */
#include "events/args.h"

bool args_refuse(PyObject *object, const char *what, const char *wanted)
{
	PyObject *const type = PyObject_Type(object);
	PyObject *const name =
		type != NULL ? PyObject_GetAttrString(type, "__name__") : NULL;

	if (name != NULL)
		PyErr_Format(PyExc_TypeError, "%s must be %s, not %U", what,
		             wanted, name);
	Py_XDECREF(name);
	Py_XDECREF(type);
	return false;
}

static bool put_named(const struct args_form *form, PyObject *name,
                      PyObject *value, PyObject **values)
{
	for (int i = 0; i < ARGS_MAX && form->names[i] != NULL; i++) {
		if (PyUnicode_CompareWithASCIIString(name, form->names[i]) != 0)
			continue;
		if (values[i] != NULL) {
			PyErr_Format(PyExc_TypeError,
			             "%s() got multiple values for argument "
			             "'%U'",
			             form->function, name);
			return false;
		}
		values[i] = value;
		return true;
	}
	PyErr_Format(PyExc_TypeError,
	             "%s() got an unexpected keyword argument '%U'",
	             form->function, name);
	return false;
}

static bool put_names(const struct args_form *form, PyObject *const *args,
                      PyObject *kwnames, PyObject **values)
{
	const Py_ssize_t n = PyTuple_Size(kwnames);

	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *const name = PyTuple_GetItem(kwnames, i);

		if (name == NULL || !put_named(form, name, args[i], values))
			return false;
	}
	return true;
}

bool args_get_named(const struct args_form *form, PyObject *const *args,
                    Py_ssize_t n, PyObject *kwnames, PyObject **values)
{
	for (int i = 0; i < ARGS_MAX; i++)
		if (form->names[i] != NULL)
			values[i] =
				i < n && i < form->n_places ? args[i] : NULL;
		else
			break;
	if (n > form->n_places) {
		PyErr_Format(PyExc_TypeError,
		             "%s() takes at most %zd positional arguments "
		             "(%zd given)",
		             form->function, form->n_places, n);
		return false;
	}
	if (kwnames != NULL && !put_names(form, args + n, kwnames, values))
		return false;
	for (Py_ssize_t i = 0; i < form->n_needed; i++) {
		if (values[i] == NULL) {
			PyErr_Format(PyExc_TypeError,
			             "%s() missing required argument '%s'",
			             form->function, form->names[i]);
			return false;
		}
	}
	return true;
}
