/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bootstrap.c - the first call of a new thread (walker.h), which attaches the
 * thread and then calls its own function.  The callable is a type and not a
 * Python function, so that stacks and tracebacks have no additional frame.
 */
#include "walker/walker.h"
/* needs Python.h before it */
#include <structmember.h>

struct bootstrap {
	PyObject_HEAD PyObject *function;
};

static PyObject *bootstrap_new(PyTypeObject *type, PyObject *args,
                               PyObject *kwargs)
{
	PyObject *function;

	(void)kwargs;
	if (!PyArg_UnpackTuple(args, "Bootstrap", 1, 1, &function))
		return NULL;
	struct bootstrap *const self =
		(struct bootstrap *)type->tp_alloc(type, 0);
	if (self != NULL)
		self->function = Py_NewRef(function);
	return (PyObject *)self;
}

static PyObject *bootstrap_call(PyObject *self, PyObject *args,
                                PyObject *kwargs)
{
	PyObject *const function = ((struct bootstrap *)self)->function;

	if (PyMethod_Check(function))
		bridge->begin(PyMethod_GET_SELF(function));
	if (threads_attach() < 0)
		PyErr_WriteUnraisable(self);
	return PyObject_Call(function, args, kwargs);
}

static PyObject *bootstrap_repr(PyObject *self)
{
	return PyObject_Repr(((struct bootstrap *)self)->function);
}

static int bootstrap_traverse(PyObject *self, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(self));
	Py_VISIT(((struct bootstrap *)self)->function);
	return 0;
}

static int bootstrap_clear(PyObject *self)
{
	Py_CLEAR(((struct bootstrap *)self)->function);
	return 0;
}

static void bootstrap_dealloc(PyObject *self)
{
	PyTypeObject *const type = Py_TYPE(self);

	PyObject_GC_UnTrack(self);
	bootstrap_clear(self);
	type->tp_free(self);
	Py_DECREF(type);
}

static PyMemberDef members[] = { { "__wrapped__", T_OBJECT,
	                           offsetof(struct bootstrap, function),
	                           READONLY, NULL },
	                         { NULL, 0, 0, 0, NULL } };

static PyType_Slot slots[] = { { Py_tp_new, bootstrap_new },
	                       { Py_tp_call, bootstrap_call },
	                       { Py_tp_repr, bootstrap_repr },
	                       { Py_tp_traverse, bootstrap_traverse },
	                       { Py_tp_clear, bootstrap_clear },
	                       { Py_tp_dealloc, bootstrap_dealloc },
	                       { Py_tp_members, members },
	                       { 0, NULL } };

static PyType_Spec spec = {
	.name = "syscap._walker.Bootstrap",
	.basicsize = sizeof(struct bootstrap),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = slots,
};

int bootstrap_add(PyObject *module)
{
	PyObject *const type = PyType_FromModuleAndSpec(module, &spec, NULL);

	if (type == NULL)
		return -1;
	const int result = PyModule_AddObjectRef(module, "Bootstrap", type);
	Py_DECREF(type);
	return result;
}
