/* SPDX-License-Identifier: BSD-2-Clause */
/* walker.h - the parts of syscap._walker. */
#ifndef SYSCAP_PYTHON_WALKER_H
#define SYSCAP_PYTHON_WALKER_H

#include "walker/frames.h"
/* after Python.h, which must be first */
#include "bridge.h"

/* bridge.c: NULL before bridge_import(), which returns false with an exception
 * set. */
extern const struct bridge *bridge;
bool bridge_import(void);

/* eval.c: find _PyEval_EvalFrameDefault().  Returns false with ImportError
 * set. */
bool eval_find(uintptr_t *ret_low, uintptr_t *ret_high);

/* name.c: store "qualname (file:line)" of @frame's code in @to, of @size bytes,
 * and return the length.  With @careful, checks every object of the frame, and
 * returns less than 0 if an object is invalid.  Signal-safe. */
int frame_name(const _PyInterpreterFrame *frame, bool careful, char *to,
               size_t size);
/* Give names the running line from now on, or the line of the definition. */
void name_show_lines(bool show);

/* line.c: return the line of an instruction; 0: unknown.  Signal-safe. */
int code_line(const PyCodeObject *code, ptrdiff_t instruction, bool careful);

/* sound.c: true if @object, which may have been freed, is probably an object of
 * type @type.  Signal-safe. */
bool object_is_sound(PyObject *object, PyTypeObject *type, size_t size);

/* walk.c: push the frames of @thread to @sink, as syscap_provider's walk(). */
int walk_thread(struct syscap_stack_sink *sink, const struct syscap_regs *regs,
                PyThreadState *thread);
void walk_set_eval(uintptr_t low, uintptr_t high);

/* check.c: true if this module was built for the running Python.  Otherwise
 * returns false with ImportError set. */
bool check_layout(void);

/* threads.c.  All functions need the GIL. */
void threads_init(uintptr_t eval_low, uintptr_t eval_high);
/* Name the functions of the calling thread in its samples from now on.  Returns
 * less than 0 with an exception set. */
int threads_attach(void);
bool threads_has(const PyThreadState *thread);
/* Keep all ticks from reading frames of threads from now on. */
void threads_end(void);

/* reach.c: make all existing threads attach themselves at their next call.
 * Returns the number of threads that cannot attach. */
int reach_threads(void);

/* bootstrap.c: the type of callables that first attach the thread. */
int bootstrap_add(PyObject *module);

#endif
