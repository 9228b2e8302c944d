/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * module.c - the module syscap._events, which contains the library, for Python
 * 3.11 and later.
 *
 * Only the main interpreter may import the module.  CPython itself refuses it
 * to interpreters with their own GIL.
 */
#include <syscap.h>

#include "events/events.h"
#include "events/thread.h"
/* needs Python.h before it */
#include "bridge.h"

static const struct bridge bridge = {
	.size = sizeof(bridge),
	.attach = syscap_attach_thread,
	.detach = syscap_detach_thread,
	.push = syscap_stack_push,
	.scratch = syscap_stack_scratch,
	.intern = syscap_jit_intern,
	.readable = syscap_readable,
	.meet = thread_meet,
	.begin = thread_begin,
};

static int add_numbers(PyObject *module)
{
	static const struct {
		const char *name;
		long value;
	} numbers[] = {
		{ "ERROR", SYSCAP_ERROR },
		{ "CRITICAL", SYSCAP_CRITICAL },
		{ "WARNING", SYSCAP_WARNING },
		{ "MESSAGE", SYSCAP_MESSAGE },
		{ "INFO", SYSCAP_INFO },
		{ "DEBUG", SYSCAP_DEBUG },
		{ "LINK_WHOLE", SYSCAP_LINK_WHOLE },
		{ "LINK_BEGIN", SYSCAP_LINK_BEGIN },
		{ "LINK_STEP", SYSCAP_LINK_STEP },
		{ "LINK_END", SYSCAP_LINK_END },
		{ "LINK_OUT", SYSCAP_LINK_OUT },
		{ "LINK_IN", SYSCAP_LINK_IN },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (PyModule_AddIntConstant(module, numbers[i].name,
		                            numbers[i].value) < 0)
			return -1;
	return 0;
}

static int add_bridge(PyObject *module)
{
	PyObject *const capsule =
		PyCapsule_New((void *)(uintptr_t)&bridge, BRIDGE_NAME, NULL);

	if (capsule == NULL)
		return -1;
	const int result = PyModule_AddObjectRef(module, "bridge", capsule);
	Py_DECREF(capsule);
	return result;
}

static int refuse_subinterpreters(void)
{
	if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0)
		return 0;
	PyErr_SetString(PyExc_ImportError,
	                "syscap works in the main interpreter only");
	return -1;
}

static int module_exec(PyObject *module)
{
	PyMethodDef *const methods[] = { mark_methods, scope_methods,
		                         counter_methods, recording_methods,
		                         sampler_methods };

	if (refuse_subinterpreters() < 0)
		return -1;
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (PyModule_AddFunctions(module, methods[i]) < 0)
			return -1;
	if (scope_add(module) < 0 || traced_add(module) < 0 ||
	    counter_add(module) < 0 || add_numbers(module) < 0)
		return -1;
	return add_bridge(module);
}

static PyModuleDef_Slot slots[] = {
	{ Py_mod_exec, module_exec },
	{ 0, NULL },
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "syscap._events",
	.m_doc = "Events of syscap; see the package syscap.",
	.m_slots = slots,
};

PyMODINIT_FUNC PyInit__events(void);

PyMODINIT_FUNC PyInit__events(void)
{
	return PyModuleDef_Init(&definition);
}
