/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check.c - check of the layout of CPython's structs (walker.h).
 *
 * The structs are private to CPython, and have not changed within a 3.N so far.
 * Python 3.13 publishes their offsets.  In all versions, CPython's API and the
 * walker must return the same frames of a call of this check.
 */
#include "walker/walker.h"

static bool refuse(const char *why)
{
	PyErr_Format(PyExc_ImportError,
	             "syscap._walker was built for another Python (%d.%d.%d, "
	             "this is %s): %s",
	             PY_MAJOR_VERSION, PY_MINOR_VERSION, PY_MICRO_VERSION,
	             Py_GetVersion(), why);
	return false;
}

#if PY_VERSION_HEX >= 0x030D0000
static bool offsets_agree(void)
{
	const struct _Py_DebugOffsets *const told = &_PyRuntime.debug_offsets;

	return memcmp(told->cookie, "xdebugpy", 8) == 0 &&
	       told->free_threaded == 0 &&
	       told->thread_state.current_frame ==
	               offsetof(PyThreadState, current_frame) &&
	       told->thread_state.datastack_chunk ==
	               offsetof(PyThreadState, datastack_chunk) &&
	       told->interpreter_frame.previous ==
	               offsetof(_PyInterpreterFrame, previous) &&
	       told->interpreter_frame.executable ==
	               offsetof(_PyInterpreterFrame, f_executable) &&
	       told->interpreter_frame.instr_ptr ==
	               offsetof(_PyInterpreterFrame, instr_ptr) &&
	       told->code_object.linetable ==
	               offsetof(PyCodeObject, co_linetable) &&
	       told->interpreter_frame.owner ==
	               offsetof(_PyInterpreterFrame, owner) &&
	       told->code_object.qualname ==
	               offsetof(PyCodeObject, co_qualname) &&
	       told->code_object.filename ==
	               offsetof(PyCodeObject, co_filename) &&
	       told->code_object.firstlineno ==
	               offsetof(PyCodeObject, co_firstlineno) &&
	       told->runtime_state.interpreters_head ==
	               offsetof(_PyRuntimeState, interpreters.head);
}
#else
static bool offsets_agree(void)
{
	return true;
}
#endif

static const _PyInterpreterFrame *skip_shims(const _PyInterpreterFrame *frame)
{
	while (frame != NULL && frame_is_shim(frame))
		frame = frame->previous;
	return frame;
}

static bool frames_agree(void)
{
	const _PyInterpreterFrame *ours =
		skip_shims(thread_top(PyThreadState_Get()));
	PyFrameObject *theirs = (PyFrameObject *)Py_XNewRef(PyEval_GetFrame());
	bool agree = true;

	while (agree && theirs != NULL && ours != NULL) {
		PyFrameObject *const outer = PyFrame_GetBack(theirs);
		PyCodeObject *const code = PyFrame_GetCode(theirs);

		agree = (PyObject *)code == frame_code(ours) &&
		        object_is_sound(frame_code(ours), &PyCode_Type,
		                        sizeof(*code));
		Py_DECREF(code);
		Py_DECREF(theirs);
		theirs = outer;
		ours = skip_shims(ours->previous);
	}
	agree = agree && (theirs == NULL) == (ours == NULL);
	Py_XDECREF(theirs);
	return agree;
}

bool check_layout(void)
{
	if (Py_Version >> 16 != PY_VERSION_HEX >> 16)
		return refuse("another version of Python");
	if (!offsets_agree())
		return refuse("other sizes of structs");
	return frames_agree() || refuse("another layout of frames");
}
