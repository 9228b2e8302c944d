/* SPDX-License-Identifier: BSD-2-Clause */
/* walker.h - the parts of syscap._walker. */
#ifndef SYSCAP_PYTHON_WALKER_H
#define SYSCAP_PYTHON_WALKER_H

#include "walker/frames.h"
/* behind Python.h, which wants to be the first */
#include "bridge.h"

/* bridge.c: NULL before it is imported.  False with an exception set. */
extern const struct bridge *bridge;
bool bridge_import(void);

/* eval.c: where _PyEval_EvalFrameDefault() is.  False with ImportError set. */
bool eval_find(uintptr_t *ret_low, uintptr_t *ret_high);

/* name.c: "qualname (file:line)" of @frame's code into @to, of @size bytes;
 * returns the length.  @careful: believe nothing that the frame refers to;
 * less than 0, it is not what it should be.  Signal-safe. */
int frame_name(const _PyInterpreterFrame *frame, bool careful, char *to,
               size_t size);
/* From now on with the line that runs; else that of the definition. */
void name_show_lines(bool show);

/* line.c: the line of an instruction; 0: not known.  Signal-safe. */
int code_line(const PyCodeObject *code, ptrdiff_t instruction, bool careful);

/* sound.c: whether @object is one of type @type, so far as can be told when it
 * may have been freed.  Signal-safe. */
bool object_is_sound(PyObject *object, PyTypeObject *type, size_t size);

/* walk.c: frames of @thread into @sink, as syscap_provider's walk().  */
int walk_thread(struct syscap_stack_sink *sink, const struct syscap_regs *regs,
                PyThreadState *thread);
void walk_set_eval(uintptr_t low, uintptr_t high);

/* check.c: whether this module was built for the Python that runs it.  False
 * with ImportError set. */
bool check_layout(void);

/* threads.c; all need the GIL. */
void threads_init(uintptr_t eval_low, uintptr_t eval_high);
/* Names of the calling thread's functions in its samples, until it ends.
 * Less than 0 with an exception set. */
int threads_attach(void);
bool threads_has(const PyThreadState *thread);
/* From now on no thread's frames are looked at. */
void threads_end(void);

/* reach.c: have all threads that exist attach themselves when they next call
 * something.  Returns how many can't be told to. */
int reach_threads(void);

/* bootstrap.c: the type of callables that attach first. */
int bootstrap_add(PyObject *module);

#endif
