/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frames.h - layout of a thread's frames in CPython 3.11 to 3.13.
 *
 * Frames are in chunks of memory of the thread ("data stack") or in generators.
 * Since 3.12, frames that separate runs are on the C stack.  A run is the
 * frames of one call of _PyEval_EvalFrameDefault(), and ends
 *
 *	3.11	with a frame that says is_entry
 *	3.12	behind a frame without code on that call's C stack, the shim
 *	3.13	the same
 *
 * Up to 3.12 the struct cframe, on the C stack of the innermost call, points to
 * the innermost frame.  Since 3.13 the thread's state points to it.
 */
#ifndef SYSCAP_PYTHON_FRAMES_H
#define SYSCAP_PYTHON_FRAMES_H

#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE 1
#include <Python.h>

#if PY_VERSION_HEX < 0x030B0000 || PY_VERSION_HEX >= 0x030E0000
#error "the walker supports CPython 3.11, 3.12 and 3.13"
#endif
#ifdef Py_GIL_DISABLED
#error "the walker needs a Python with a GIL"
#endif

#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>

#define HAS_CFRAME (PY_VERSION_HEX < 0x030D0000)
#define HAS_SHIM   (PY_VERSION_HEX >= 0x030C0000)

/* Size of the part of a frame that walk() reads. */
#define FRAME_SIZE offsetof(_PyInterpreterFrame, localsplus)

static inline bool frame_is_shim(const _PyInterpreterFrame *frame)
{
#if HAS_SHIM
	return frame->owner == FRAME_OWNED_BY_CSTACK;
#else
	(void)frame;
	return false;
#endif
}

/* The last frame of a run, going outwards. */
static inline bool frame_ends_run(const _PyInterpreterFrame *frame)
{
#if HAS_SHIM
	return frame_is_shim(frame);
#else
	return frame->is_entry;
#endif
}

/* True if a frame with code is the outermost of its run. */
static inline bool frame_is_entry(const _PyInterpreterFrame *frame)
{
#if HAS_SHIM
	return frame->previous == NULL || frame_is_shim(frame->previous);
#else
	return frame->is_entry;
#endif
}

/* The frame's code object, or for a shim a value that is not a code object. */
static inline PyObject *frame_code(const _PyInterpreterFrame *frame)
{
#if PY_VERSION_HEX >= 0x030D0000
	return frame->f_executable;
#else
	return (PyObject *)frame->f_code;
#endif
}

/* The index of the frame's instruction in @code, if valid.  Below 0: the frame
 * has not begun. */
static inline ptrdiff_t frame_instruction(const _PyInterpreterFrame *frame,
                                          const PyCodeObject *code)
{
#if PY_VERSION_HEX >= 0x030D0000
	const void *const at = frame->instr_ptr;
#else
	const void *const at = frame->prev_instr;
#endif
	const uintptr_t first = (uintptr_t)code->co_code_adaptive;

	return ((intptr_t)at - (intptr_t)first) /
	       (ptrdiff_t)sizeof(_Py_CODEUNIT);
}

static inline _PyInterpreterFrame *thread_top(const PyThreadState *thread)
{
#if HAS_CFRAME
	return thread->cframe->current_frame;
#else
	return thread->current_frame;
#endif
}

/* True while a subinterpreter exists. */
static inline bool has_subinterpreters(void)
{
	return _PyRuntime.interpreters.head != _PyRuntime.interpreters.main;
}

#endif
