/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stable_abi.h - Python's headers, limited to the stable ABI of 3.11.
 *
 * Vectorcalls are in the stable ABI since 3.12.  Python 3.11, which no longer
 * changes, exports the same functions and has the same flags.  The headers of
 * 3.11 hide both from the limited API.
 */
#ifndef SYSCAP_PYTHON_STABLE_ABI_H
#define SYSCAP_PYTHON_STABLE_ABI_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030b0000
#endif
#include <Python.h>
#include <structmember.h>

#ifndef Py_TPFLAGS_HAVE_VECTORCALL
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
#endif
#ifndef Py_TPFLAGS_METHOD_DESCRIPTOR
#define Py_TPFLAGS_METHOD_DESCRIPTOR (1UL << 17)
#endif

#if Py_LIMITED_API + 0 < 0x030c0000
typedef PyObject *(*vectorcallfunc)(PyObject *callable, PyObject *const *args,
                                    size_t nargsf, PyObject *kwnames);
PyAPI_FUNC(PyObject *)
	PyObject_Vectorcall(PyObject *callable, PyObject *const *args,
                            size_t nargsf, PyObject *kwnames);
PyAPI_FUNC(PyObject *)
	PyVectorcall_Call(PyObject *callable, PyObject *tuple, PyObject *dict);
#endif

/* Python's table of methods has this type for all forms. */
#define AS_METHOD(function) ((PyCFunction)(void (*)(void))(function))

#define KEYWORDS (METH_FASTCALL | METH_KEYWORDS)

#endif
