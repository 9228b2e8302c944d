/* SPDX-License-Identifier: BSD-2-Clause */
/* walker.h - the parts of syscap._walker. */
#ifndef SYSCAP_PYTHON_WALKER_H
#define SYSCAP_PYTHON_WALKER_H

#include "walker/frames.h"
/* after Python.h, which must be first */
#include "bridge.h"

/* bridge.c: NULL before bridge_import().  False with an exception set. */
extern const struct bridge *bridge;
bool bridge_import(void);

/* eval.c: finds _PyEval_EvalFrameDefault().  False with ImportError set. */
bool eval_find(uintptr_t *ret_low, uintptr_t *ret_high);

/* name.c: "qualname (file:line)" of @frame's code into @to, of @size bytes;
 * returns the length.  @careful: check every object that the frame refers to;
 * less than 0: an object is invalid.  Signal-safe. */
int frame_name(const _PyInterpreterFrame *frame, bool careful, char *to,
               size_t size);
/* Names have the running line from now on; else the line of the definition. */
void name_show_lines(bool show);

/* line.c: the line of an instruction; 0: unknown.  Signal-safe. */
int code_line(const PyCodeObject *code, ptrdiff_t instruction, bool careful);

/* sound.c: is @object, which may have been freed, probably an object of type
 * @type?  Signal-safe. */
bool object_is_sound(PyObject *object, PyTypeObject *type, size_t size);

/* walk.c: frames of @thread into @sink, as syscap_provider's walk().  */
int walk_thread(struct syscap_stack_sink *sink, const struct syscap_regs *regs,
                PyThreadState *thread);
void walk_set_eval(uintptr_t low, uintptr_t high);

/* check.c: was this module built for the running Python?  False with
 * ImportError set. */
bool check_layout(void);

/* threads.c; all need the GIL. */
void threads_init(uintptr_t eval_low, uintptr_t eval_high);
/* From now on, samples of the calling thread have names of its functions.  Less
 * than 0 with an exception set. */
int threads_attach(void);
bool threads_has(const PyThreadState *thread);
/* From now on no tick reads a thread's frames. */
void threads_end(void);

/* reach.c: make all existing threads attach themselves at their next call.
 * Returns the number of threads that can't. */
int reach_threads(void);

/* bootstrap.c: the type of callables that attach first. */
int bootstrap_add(PyObject *module);

#endif
