/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * traced.c - a function whose calls are marks.
 *
 * For Python the object is a kind of function.  The object binds as a method,
 * can be pickled by name and referenced weakly, and has the attributes of its
 * wrapped function.  functools.update_wrapper() puts these attributes into the
 * object's dict.
 */
#include <syscap.h>

#include "events/events.h"
#include "events/text.h"
#include "events/thread.h"

struct traced {
	PyObject_HEAD vectorcallfunc call;
	PyObject *function;
	PyObject *dict;
	PyObject *weak;
	struct syscap_mark_site site;
};

static PyObject *method_type;

/* A separate function, so that calls without a recording need no stack for its
 * variables. */
__attribute__((noinline)) static PyObject *
call_recorded(const struct traced *traced, PyObject *const *args, size_t nargsf,
              PyObject *kwnames)
{
	const int64_t begin = syscap_begin();
	PyObject *const result =
		PyObject_Vectorcall(traced->function, args, nargsf, kwnames);

	if (begin != 0 && is_recorded())
		syscap_mark_at(&traced->site, begin, syscap_clock() - begin,
		               NULL);
	return result;
}

static PyObject *traced_call(PyObject *self, PyObject *const *args,
                             size_t nargsf, PyObject *kwnames)
{
	const struct traced *const traced = (const struct traced *)self;

	if (SYC_UNLIKELY(syscap_is_active()))
		return call_recorded(traced, args, nargsf, kwnames);
	return PyObject_Vectorcall(traced->function, args, nargsf, kwnames);
}

static PyObject *traced_new(PyTypeObject *type, PyObject *args,
                            PyObject *kwargs)
{
	PyObject *function, *group, *name;

	if (kwargs != NULL && PyDict_Size(kwargs) != 0) {
		PyErr_SetString(PyExc_TypeError,
		                "Traced() takes no keyword arguments");
		return NULL;
	}
	if (!PyArg_UnpackTuple(args, "Traced", 3, 3, &function, &group, &name))
		return NULL;
	if (!PyCallable_Check(function)) {
		PyErr_Format(PyExc_TypeError, "%R is not callable", function);
		return NULL;
	}
	if (!text_check(group, "group") || !text_check(name, "name"))
		return NULL;
	struct traced *const traced =
		(struct traced *)PyType_GenericAlloc(type, 0);
	if (traced == NULL)
		return NULL;
	traced->call = traced_call;
	traced->function = Py_NewRef(function);
	if (!text_fill(traced->site.group, sizeof(traced->site.group), group) ||
	    !text_fill(traced->site.name, sizeof(traced->site.name), name)) {
		Py_DECREF(traced);
		return NULL;
	}
	return (PyObject *)traced;
}

static int traced_traverse(PyObject *self, visitproc visit, void *arg)
{
	const struct traced *const traced = (const struct traced *)self;

	Py_VISIT(Py_TYPE(self));
	Py_VISIT(traced->function);
	Py_VISIT(traced->dict);
	return 0;
}

static int traced_clear(PyObject *self)
{
	struct traced *const traced = (struct traced *)self;

	Py_CLEAR(traced->function);
	Py_CLEAR(traced->dict);
	return 0;
}

static void traced_dealloc(PyObject *self)
{
	struct traced *const traced = (struct traced *)self;
	PyTypeObject *const type = Py_TYPE(self);

	PyObject_GC_UnTrack(self);
	if (traced->weak != NULL)
		PyObject_ClearWeakRefs(self);
	traced_clear(self);
	PyObject_GC_Del(self);
	Py_DECREF(type);
}

static PyObject *traced_get(PyObject *self, PyObject *instance, PyObject *type)
{
	(void)type;
	if (instance == NULL || instance == Py_None)
		return Py_NewRef(self);
	return PyObject_CallFunctionObjArgs(method_type, self, instance, NULL);
}

static PyObject *traced_repr(PyObject *self)
{
	return PyUnicode_FromFormat("<syscap.traced %R>",
	                            ((const struct traced *)self)->function);
}

/* Pickled like functions, by qualified name. */
static PyObject *traced_reduce(PyObject *self, PyObject *unused)
{
	(void)unused;
	return PyObject_GetAttrString(self, "__qualname__");
}

static PyMethodDef methods[] = { { "__reduce__", traced_reduce, METH_NOARGS,
	                           NULL },
	                         { NULL, NULL, 0, NULL } };

static PyMemberDef members[] = {
	{ "__vectorcalloffset__", T_PYSSIZET, offsetof(struct traced, call),
	  READONLY, NULL },
	{ "__dictoffset__", T_PYSSIZET, offsetof(struct traced, dict), READONLY,
	  NULL },
	{ "__weaklistoffset__", T_PYSSIZET, offsetof(struct traced, weak),
	  READONLY, NULL },
	{ NULL, 0, 0, 0, NULL }
};

static PyGetSetDef fields[] = { { "__dict__", PyObject_GenericGetDict,
	                          PyObject_GenericSetDict, NULL, NULL },
	                        { NULL, NULL, NULL, NULL, NULL } };

static PyType_Slot slots[] = { { Py_tp_new, traced_new },
	                       { Py_tp_call, PyVectorcall_Call },
	                       { Py_tp_dealloc, traced_dealloc },
	                       { Py_tp_traverse, traced_traverse },
	                       { Py_tp_clear, traced_clear },
	                       { Py_tp_descr_get, traced_get },
	                       { Py_tp_repr, traced_repr },
	                       { Py_tp_methods, methods },
	                       { Py_tp_members, members },
	                       { Py_tp_getset, fields },
	                       { 0, NULL } };

static PyType_Spec spec = {
	.name = "syscap.Traced",
	.basicsize = sizeof(struct traced),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
	         Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR |
	         Py_TPFLAGS_IMMUTABLETYPE,
	.slots = slots,
};

int traced_add(PyObject *module)
{
	PyObject *const types = PyImport_ImportModule("types");

	if (types == NULL)
		return -1;
	method_type = PyObject_GetAttrString(types, "MethodType");
	Py_DECREF(types);
	if (method_type == NULL)
		return -1;
	PyObject *const type = PyType_FromModuleAndSpec(module, &spec, NULL);
	if (type == NULL)
		return -1;
	const int result = PyModule_AddObjectRef(module, "Traced", type);
	Py_DECREF(type);
	return result;
}
