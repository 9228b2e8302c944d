/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scope.c - a mark for the duration of a with statement, or an operation for
 * the duration of an async with statement.
 *
 * The module reuses objects, since most objects live for one with statement.
 * Scopes hold only texts, so they do not take part in garbage collection.  The
 * GIL guards all data.
 */
#include <pthread.h>
#include <string.h>

#include <syscap.h>

#include "events/args.h"
#include "events/events.h"
#include "events/text.h"
#include "events/thread.h"

/* A running with statement.  Several threads and recursive functions may share
 * an object. */
struct entered {
	pthread_t thread;
	int64_t begin; /* 0: there was no recording at the start */
};

struct scope {
	PyObject_HEAD PyObject *group, *name;
	PyObject *message; /* NULL: none */
	uint32_t n, n_more;
	struct entered first;
	struct entered *more; /* entries from the second on */
};

#define N_KEPT 16

static PyTypeObject *scope_type;
static struct scope *kept[N_KEPT];
static int n_kept;

static struct scope *scope_alloc(void)
{
	if (n_kept == 0)
		return PyObject_New(struct scope, scope_type);
	return (struct scope *)PyObject_Init((PyObject *)kept[--n_kept],
	                                     scope_type);
}

static PyObject *py_scope(PyObject *module, PyObject *const *args, Py_ssize_t n,
                          PyObject *kwnames)
{
	static const struct args_form form = {
		"scope", 2, 3, { "group", "name", "message" }
	};
	PyObject *value[ARGS_MAX];

	(void)module;
	if (!args_get(&form, args, n, kwnames, value) ||
	    !text_check(value[0], "group") || !text_check(value[1], "name") ||
	    !text_check_optional(value[2], "message"))
		return NULL;
	struct scope *const scope = scope_alloc();
	if (scope == NULL)
		return NULL;
	scope->group = Py_NewRef(value[0]);
	scope->name = Py_NewRef(value[1]);
	scope->message = value[2] == Py_None ? NULL : Py_XNewRef(value[2]);
	scope->n = scope->n_more = 0;
	scope->more = NULL;
	return (PyObject *)scope;
}

static void scope_dealloc(PyObject *self)
{
	struct scope *const scope = (struct scope *)self;
	PyTypeObject *const type = Py_TYPE(self);

	Py_CLEAR(scope->group);
	Py_CLEAR(scope->name);
	Py_CLEAR(scope->message);
	PyMem_Free(scope->more);
	if (n_kept < N_KEPT && type == scope_type)
		kept[n_kept++] = scope;
	else
		PyObject_Free(scope);
	Py_DECREF(type);
}

static struct entered *entered_at(struct scope *scope, uint32_t i)
{
	return i == 0 ? &scope->first : &scope->more[i - 1];
}

static bool make_room(struct scope *scope)
{
	if (scope->n == 0 || scope->n - 1 < scope->n_more)
		return true;
	const uint32_t n = scope->n_more * 2 + 4;
	struct entered *const more =
		PyMem_Realloc(scope->more, n * sizeof(*more));
	if (more == NULL)
		return false;
	scope->more = more;
	scope->n_more = n;
	return true;
}

static PyObject *scope_enter(PyObject *self, PyObject *unused)
{
	struct scope *const scope = (struct scope *)self;
	const int64_t begin = syscap_begin();

	(void)unused;
	/* An entry is needed to distinguish several begins */
	if (begin != 0 || scope->n != 0) {
		if (!make_room(scope))
			return PyErr_NoMemory();
		*entered_at(scope, scope->n++) =
			(struct entered){ .thread = pthread_self(),
			                  .begin = begin };
	}
	return Py_NewRef(self);
}

/* The begin of this thread's newest entry; 0: no entry. */
static int64_t take_begin(struct scope *scope)
{
	const pthread_t self = pthread_self();

	for (uint32_t i = scope->n; i-- != 0;) {
		const struct entered entered = *entered_at(scope, i);

		if (!pthread_equal(entered.thread, self))
			continue;
		scope->n--;
		for (; i < scope->n; i++)
			*entered_at(scope, i) = *entered_at(scope, i + 1);
		return entered.begin;
	}
	return 0;
}

/* An asynchronous scope is an operation, because its thread may do other work
 * before the end. */
static bool emit_operation(const struct scope *scope, int64_t begin)
{
	static uint64_t id;
	struct syscap_mark_site site = { { 0 }, { 0 } };
	const int64_t duration = syscap_clock() - begin;
	struct text message;

	if (!text_fill(site.group, sizeof(site.group), scope->group) ||
	    !text_fill(site.name, sizeof(site.name), scope->name) ||
	    !text_get(&message, scope->message))
		return false;
	syscap_linked_at(&site, SYSCAP_LINK_WHOLE, ++id, begin, duration,
	                 message.utf8);
	text_put(&message);
	return true;
}

static bool emit_mark(const struct scope *scope, int64_t begin)
{
	const int64_t duration = syscap_clock() - begin;
	struct text group, name, message = { NULL, NULL };
	bool ok = false;

	if (!text_get(&group, scope->group))
		return false;
	if (text_get(&name, scope->name)) {
		ok = text_get(&message, scope->message);
		if (ok)
			syscap_mark(group.utf8, name.utf8, begin, duration,
			            message.utf8);
		text_put(&message);
	}
	text_put(&name);
	text_put(&group);
	return ok;
}

/* Returns false with an exception set. */
static bool leave(struct scope *scope,
                  bool (*emit)(const struct scope *scope, int64_t begin))
{
	if (scope->n == 0)
		return true;
	const int64_t begin = take_begin(scope);
	return begin == 0 || !is_recorded() || emit(scope, begin);
}

static PyObject *scope_exit(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)args;
	(void)n;
	if (!leave((struct scope *)self, emit_mark))
		return NULL;
	Py_RETURN_NONE;
}

/* ----------------------------------------------------------- async with */

/* The awaitable result of __aenter__() and __aexit__(), which never waits. */
struct ready {
	PyObject_HEAD PyObject *value; /* NULL: None */
};

static PyTypeObject *ready_type;

/* Steals @value. */
static PyObject *ready_new(PyObject *value)
{
	struct ready *const ready = PyObject_New(struct ready, ready_type);

	if (ready == NULL)
		Py_XDECREF(value);
	else
		ready->value = value;
	return (PyObject *)ready;
}

static void ready_dealloc(PyObject *self)
{
	PyTypeObject *const type = Py_TYPE(self);

	Py_CLEAR(((struct ready *)self)->value);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyObject *ready_self(PyObject *self)
{
	return Py_NewRef(self);
}

static PyObject *ready_next(PyObject *self)
{
	PyObject *const value = ((struct ready *)self)->value;

	if (value != NULL)
		PyErr_SetObject(PyExc_StopIteration, value);
	return NULL;
}

static PyType_Slot ready_slots[] = { { Py_tp_dealloc, ready_dealloc },
	                             { Py_am_await, ready_self },
	                             { Py_tp_iter, ready_self },
	                             { Py_tp_iternext, ready_next },
	                             { 0, NULL } };

static PyType_Spec ready_spec = {
	.name = "syscap.Ready",
	.basicsize = sizeof(struct ready),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = ready_slots,
};

static PyObject *scope_aenter(PyObject *self, PyObject *unused)
{
	PyObject *const scope = scope_enter(self, unused);

	return scope == NULL ? NULL : ready_new(scope);
}

static PyObject *scope_aexit(PyObject *self, PyObject *const *args,
                             Py_ssize_t n)
{
	(void)args;
	(void)n;
	if (!leave((struct scope *)self, emit_operation))
		return NULL;
	return ready_new(NULL);
}

/* ------------------------------------------------------------ attributes */

static PyObject *get_group(PyObject *self, void *unused)
{
	(void)unused;
	return Py_NewRef(((struct scope *)self)->group);
}

static PyObject *get_name(PyObject *self, void *unused)
{
	(void)unused;
	return Py_NewRef(((struct scope *)self)->name);
}

static PyObject *get_message(PyObject *self, void *unused)
{
	PyObject *const message = ((struct scope *)self)->message;

	(void)unused;
	return Py_NewRef(message != NULL ? message : Py_None);
}

static int set_message(PyObject *self, PyObject *value, void *unused)
{
	struct scope *const scope = (struct scope *)self;
	PyObject *const old = scope->message;

	(void)unused;
	if (!text_check_optional(value, "message"))
		return -1;
	scope->message = value == Py_None ? NULL : Py_XNewRef(value);
	Py_XDECREF(old);
	return 0;
}

/* Decorates a function by traced(), which handles each kind of function. */
static PyObject *scope_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
	const struct scope *const scope = (const struct scope *)self;
	PyObject *function, *module, *result = NULL;

	if (kwargs != NULL && PyDict_Size(kwargs) != 0) {
		PyErr_SetString(PyExc_TypeError,
		                "a scope takes no keyword arguments");
		return NULL;
	}
	if (!PyArg_UnpackTuple(args, "scope", 1, 1, &function))
		return NULL;
	if (scope->message != NULL) {
		PyErr_SetString(PyExc_TypeError,
		                "a scope that has a message can't decorate a "
		                "function: use it by with");
		return NULL;
	}
	module = PyImport_ImportModule("syscap._traced");
	if (module != NULL)
		result = PyObject_CallMethod(module, "trace", "OOO", function,
		                             scope->group, scope->name);
	Py_XDECREF(module);
	return result;
}

static PyObject *scope_repr(PyObject *self)
{
	const struct scope *const scope = (const struct scope *)self;

	return PyUnicode_FromFormat("syscap.scope(%R, %R)", scope->group,
	                            scope->name);
}

static PyMethodDef methods[] = {
	{ "__enter__", scope_enter, METH_NOARGS, NULL },
	{ "__exit__", AS_METHOD(scope_exit), METH_FASTCALL, NULL },
	{ "__aenter__", scope_aenter, METH_NOARGS, NULL },
	{ "__aexit__", AS_METHOD(scope_aexit), METH_FASTCALL, NULL },
	{ NULL, NULL, 0, NULL }
};

static PyGetSetDef fields[] = {
	{ "group", get_group, NULL, NULL, NULL },
	{ "name", get_name, NULL, NULL, NULL },
	{ "message", get_message, set_message,
	  "The message of the mark; may be set until the end of the scope.",
	  NULL },
	{ NULL, NULL, NULL, NULL, NULL }
};

static PyType_Slot slots[] = {
	{ Py_tp_doc, "A mark for as long as a with statement takes." },
	{ Py_tp_dealloc, scope_dealloc },
	{ Py_tp_repr, scope_repr },
	{ Py_tp_call, scope_call },
	{ Py_tp_methods, methods },
	{ Py_tp_getset, fields },
	{ 0, NULL }
};

static PyType_Spec spec = {
	.name = "syscap.Scope",
	.basicsize = sizeof(struct scope),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = slots,
};

PyMethodDef scope_methods[] = {
	{ "scope", AS_METHOD(py_scope), KEYWORDS,
	  "scope(group, name, message=None)\n--\n\n"
	  "A mark for as long as the with statement takes that enters it." },
	{ NULL, NULL, 0, NULL }
};

int scope_add(PyObject *module)
{
	/* the kept objects belong to an interpreter that has ended */
	n_kept = 0;
	ready_type = (PyTypeObject *)PyType_FromModuleAndSpec(
		module, &ready_spec, NULL);
	if (ready_type == NULL)
		return -1;
	PyObject *const type = PyType_FromModuleAndSpec(module, &spec, NULL);
	if (type == NULL)
		return -1;
	scope_type = (PyTypeObject *)type;
	return PyModule_AddObjectRef(module, "Scope", type);
}
