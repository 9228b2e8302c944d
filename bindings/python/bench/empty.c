/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * empty.c - a type whose with statement does nothing, for the minimum cost of
 * with statements of an extension's objects.
 *
 * Type and module are made like those of syscap._events, by the stable ABI.
 */
#include "events/stable_abi.h"

static PyTypeObject *empty_type;

static PyObject *empty_enter(PyObject *self, PyObject *unused)
{
	(void)unused;
	return Py_NewRef(self);
}

static PyObject *empty_exit(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)self;
	(void)args;
	(void)n;
	Py_RETURN_NONE;
}

static void empty_dealloc(PyObject *self)
{
	PyTypeObject *const type = Py_TYPE(self);

	PyObject_Free(self);
	Py_DECREF(type);
}

static PyMethodDef methods[] = {
	{ "__enter__", empty_enter, METH_NOARGS, NULL },
	{ "__exit__", AS_METHOD(empty_exit), METH_FASTCALL, NULL },
	{ NULL, NULL, 0, NULL }
};

static PyType_Slot slots[] = { { Py_tp_dealloc, empty_dealloc },
	                       { Py_tp_methods, methods },
	                       { 0, NULL } };

static PyType_Spec spec = {
	.name = "empty.Empty",
	.basicsize = sizeof(PyObject),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = slots,
};

/* A function makes the object, as syscap.scope() does. */
static PyObject *py_make(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
	(void)module;
	(void)args;
	(void)n;
	return (PyObject *)PyObject_New(PyObject, empty_type);
}

static PyMethodDef functions[] = { { "make", AS_METHOD(py_make), METH_FASTCALL,
	                             NULL },
	                           { NULL, NULL, 0, NULL } };

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "empty",
	.m_size = -1,
	.m_methods = functions,
};

PyMODINIT_FUNC PyInit_empty(void);

PyMODINIT_FUNC PyInit_empty(void)
{
	PyObject *const module = PyModule_Create(&definition);

	if (module == NULL)
		return NULL;
	empty_type = (PyTypeObject *)PyType_FromSpec(&spec);
	if (empty_type == NULL ||
	    PyModule_AddObjectRef(module, "Empty", (PyObject *)empty_type) <
	            0) {
		Py_DECREF(module);
		return NULL;
	}
	return module;
}
