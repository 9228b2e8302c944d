/* SPDX-License-Identifier: BSD-2-Clause */
/* module.c - syscap._walker: names of Python functions in samples. */
#include "walker/walker.h"

static PyObject *py_attach(PyObject *module, PyObject *unused)
{
	(void)module;
	(void)unused;
	if (threads_attach() < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *py_reach(PyObject *module, PyObject *unused)
{
	(void)module;
	(void)unused;
	const int result = reach_threads();
	if (result < 0)
		return NULL;
	return PyBool_FromLong(result == 0);
}

static PyObject *py_show_lines(PyObject *module, PyObject *show)
{
	const int is_true = PyObject_IsTrue(show);

	(void)module;
	if (is_true < 0)
		return NULL;
	name_show_lines(is_true != 0);
	Py_RETURN_NONE;
}

static PyObject *py_end(PyObject *module, PyObject *unused)
{
	(void)module;
	(void)unused;
	threads_end();
	Py_RETURN_NONE;
}

static PyObject *py_loop(PyObject *module, PyObject *unused)
{
	uintptr_t low, high;

	(void)module;
	(void)unused;
	if (!eval_find(&low, &high))
		return NULL;
	return Py_BuildValue("(KK)", (unsigned long long)low,
	                     (unsigned long long)high);
}

static PyMethodDef methods[] = {
	{ "attach", py_attach, METH_NOARGS,
	  "Name this thread's functions in its samples." },
	{ "reach", py_reach, METH_NOARGS,
	  "Have all threads attach when they next call something.  False if\n"
	  "there are some with a profile function of their own." },
	{ "loop", py_loop, METH_NOARGS,
	  "The first address and the end of the interpreter's loop." },
	{ "show_lines", py_show_lines, METH_O,
	  "Choose the running line, or the definition's line, for names." },
	{ "end", py_end, METH_NOARGS, "Stop naming, since Python ends." },
	{ NULL, NULL, 0, NULL }
};

static int module_exec(PyObject *module)
{
	uintptr_t low, high;

	if (PyInterpreterState_Get() != _PyRuntime.interpreters.main) {
		PyErr_SetString(PyExc_ImportError,
		                "syscap works in the main interpreter only");
		return -1;
	}
	if (!bridge_import() || !check_layout() || !eval_find(&low, &high))
		return -1;
	walk_set_eval(low, high);
	threads_init(low, high);
	return bootstrap_add(module);
}

static PyModuleDef_Slot slots[] = {
	{ Py_mod_exec, module_exec },
#if PY_VERSION_HEX >= 0x030C0000
	{ Py_mod_multiple_interpreters,
	  Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED },
#endif
	{ 0, NULL },
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "syscap._walker",
	.m_doc = "Names of Python's functions in samples.",
	.m_methods = methods,
	.m_slots = slots,
};

PyMODINIT_FUNC PyInit__walker(void);

PyMODINIT_FUNC PyInit__walker(void)
{
	return PyModuleDef_Init(&definition);
}
