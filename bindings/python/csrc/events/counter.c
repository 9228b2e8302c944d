/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counter.c - numbers that change.
 *
 * The library has space for 4,096 counters.  A further counter counts without a
 * record, and the capture has a warning of its creation.  The next call with
 * the same texts makes another counter.
 */
#include <string.h>

#include <syscap.h>

#include "events/args.h"
#include "events/events.h"
#include "events/number.h"
#include "events/text.h"
#include "events/thread.h"

struct counter {
	PyObject_HEAD struct syscap_counter
		*counter;         /* the library's counter, or @unknown */
	union syscap_value value; /* last value */
	/* counter without space in the library, which is not recorded */
	struct syscap_counter *unknown;
};

static PyTypeObject *counter_type;
static PyObject *known; /* (category, name, type) -> counter */

static bool is_double(const struct counter *counter)
{
	return counter->counter->type == SYSCAP_DOUBLE;
}

static bool get_value(const struct counter *counter, PyObject *object,
                      union syscap_value *ret_value)
{
	return is_double(counter) ? number_real(object, &ret_value->f64)
	                          : number_whole(object, &ret_value->i64);
}

static bool is_wanted(const struct counter *counter)
{
	return is_recorded() && counter->unknown == NULL;
}

static PyObject *emit(struct counter *counter)
{
	if (is_wanted(counter)) {
		if (is_double(counter))
			syscap_counter_set_double(counter->counter,
			                          counter->value.f64);
		else
			syscap_counter_set_int64(counter->counter,
			                         counter->value.i64);
	}
	Py_RETURN_NONE;
}

static PyObject *counter_set(PyObject *self, PyObject *object)
{
	struct counter *const counter = (struct counter *)self;
	union syscap_value value;

	if (!get_value(counter, object, &value))
		return NULL;
	counter->value = value;
	return emit(counter);
}

static PyObject *counter_update(PyObject *self, PyObject *object)
{
	struct counter *const counter = (struct counter *)self;
	union syscap_value value;

	if (!get_value(counter, object, &value))
		return NULL;
	counter->value = value;
	if (is_wanted(counter)) {
		if (is_double(counter))
			syscap_counter_update_double(counter->counter,
			                             counter->value.f64);
		else
			syscap_counter_update_int64(counter->counter,
			                            counter->value.i64);
	}
	Py_RETURN_NONE;
}

static PyObject *counter_add_to(PyObject *self, PyObject *const *args,
                                Py_ssize_t n)
{
	struct counter *const counter = (struct counter *)self;
	union syscap_value by, sum;

	if (n > 1) {
		PyErr_Format(PyExc_TypeError,
		             "add() takes at most 1 argument (%zd given)", n);
		return NULL;
	}
	if (n == 1 && !get_value(counter, args[0], &by))
		return NULL;
	if (is_double(counter)) {
		sum.f64 = counter->value.f64 + (n == 1 ? by.f64 : 1.0);
	} else if (__builtin_add_overflow(counter->value.i64,
	                                  n == 1 ? by.i64 : 1, &sum.i64)) {
		sum.i64 = counter->value.i64 < 0 ? INT64_MIN : INT64_MAX;
	}
	counter->value = sum;
	return emit(counter);
}

/* @value has category, name and description.  False: an exception is set. */
static bool fill(PyObject *const *value, uint32_t type,
                 struct syscap_counter *ret_texts)
{
	PyObject *const description = value[2];

	*ret_texts = (struct syscap_counter){ .type = type };
	return text_fill(ret_texts->category, sizeof(ret_texts->category),
	                 value[0]) &&
	       text_fill(ret_texts->name, sizeof(ret_texts->name), value[1]) &&
	       (description == NULL || description == Py_None ||
	        text_fill(ret_texts->description,
	                  sizeof(ret_texts->description), description));
}

/* Make a counter for which the library has no space. */
static bool make_unknown(struct counter *counter,
                         const struct syscap_counter *texts)
{
	counter->counter = counter->unknown = PyMem_Malloc(sizeof(*texts));
	if (counter->unknown == NULL)
		return false;
	*counter->unknown = *texts;
	if (is_recorded())
		syscap_log_printf(SYSCAP_WARNING, "syscap",
		                  "there are too many counters for \"%s\" of "
		                  "category \"%s\"",
		                  texts->name, texts->category);
	return true;
}

/* Make a new counter, for an unknown key. */
static struct counter *counter_make(PyObject *const *value, uint32_t type)
{
	struct syscap_counter texts;

	if (!fill(value, type, &texts))
		return NULL;
	struct counter *const counter =
		PyObject_New(struct counter, counter_type);
	if (counter == NULL)
		return NULL;
	memset(&counter->value, 0, sizeof(counter->value));
	counter->unknown = NULL;
	counter->counter = syscap_counter_get(texts.category, texts.name,
	                                      texts.description, type);
	if (counter->counter == NULL && !make_unknown(counter, &texts)) {
		Py_DECREF(counter);
		PyErr_NoMemory();
		return NULL;
	}
	return counter;
}

static PyObject *look_up(PyObject *const *value, PyObject *type)
{
	const bool real = type == (PyObject *)&PyFloat_Type;
	PyObject *const key = PyTuple_Pack(3, value[0], value[1], type);

	if (key == NULL)
		return NULL;
	PyObject *found = Py_XNewRef(PyDict_GetItemWithError(known, key));
	if (found == NULL && PyErr_Occurred() == NULL) {
		struct counter *const made = counter_make(
			value, real ? SYSCAP_DOUBLE : SYSCAP_INT64);

		found = (PyObject *)made;
		if (made != NULL && made->unknown == NULL &&
		    PyDict_SetItem(known, key, found) < 0)
			Py_CLEAR(found);
	}
	Py_DECREF(key);
	return found;
}

static PyObject *py_counter(PyObject *module, PyObject *const *args,
                            Py_ssize_t n, PyObject *kwnames)
{
	static const struct args_form form = {
		"counter", 2, 4, { "category", "name", "description", "type" }
	};
	PyObject *value[ARGS_MAX];

	(void)module;
	if (!args_get(&form, args, n, kwnames, value) ||
	    !text_check(value[0], "category") ||
	    !text_check(value[1], "name") ||
	    !text_check_optional(value[2], "description"))
		return NULL;
	PyObject *const type =
		value[3] != NULL ? value[3] : (PyObject *)&PyLong_Type;
	if (type != (PyObject *)&PyLong_Type &&
	    type != (PyObject *)&PyFloat_Type)
		return PyErr_Format(PyExc_TypeError,
		                    "type must be int or float, not %R", type);
	return look_up(value, type);
}

static void counter_dealloc(PyObject *self)
{
	PyTypeObject *const type = Py_TYPE(self);

	PyMem_Free(((struct counter *)self)->unknown);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyObject *get_current(PyObject *self, void *unused)
{
	const struct counter *const counter = (const struct counter *)self;

	(void)unused;
	if (is_double(counter))
		return PyFloat_FromDouble(counter->value.f64);
	return PyLong_FromLongLong(counter->value.i64);
}

static PyObject *get_text(PyObject *self, void *which)
{
	const struct syscap_counter *const counter =
		((const struct counter *)self)->counter;

	return PyUnicode_FromString(which == NULL ? counter->category
	                                          : counter->name);
}

static PyObject *counter_repr(PyObject *self)
{
	const struct counter *const counter = (const struct counter *)self;

	return PyUnicode_FromFormat("<syscap.counter %s/%s>",
	                            counter->counter->category,
	                            counter->counter->name);
}

static PyMethodDef methods[] = {
	{ "set", counter_set, METH_O,
	  "set(value, /)\n--\n\nRecord the value now." },
	{ "update", counter_update, METH_O,
	  "update(value, /)\n--\n\nRecord the value if it has changed." },
	{ "add", AS_METHOD(counter_add_to), METH_FASTCALL,
	  "add(n=1, /)\n--\n\nRecord a value that is greater by n." },
	{ NULL, NULL, 0, NULL }
};

static PyGetSetDef fields[] = { { "value", get_current, NULL,
	                          "The last value that was set.", NULL },
	                        { "category", get_text, NULL, NULL, NULL },
	                        { "name", get_text, NULL, NULL, (void *)1 },
	                        { NULL, NULL, NULL, NULL, NULL } };

static PyType_Slot slots[] = { { Py_tp_doc,
	                         "A number that changes, of counter()." },
	                       { Py_tp_dealloc, counter_dealloc },
	                       { Py_tp_repr, counter_repr },
	                       { Py_tp_methods, methods },
	                       { Py_tp_getset, fields },
	                       { 0, NULL } };

static PyType_Spec spec = {
	.name = "syscap.Counter",
	.basicsize = sizeof(struct counter),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = slots,
};

PyMethodDef counter_methods[] = {
	{ "counter", AS_METHOD(py_counter), KEYWORDS,
	  "counter(category, name, description='', type=int)\n--\n\n"
	  "The counter with these texts, the same one for the same texts." },
	{ NULL, NULL, 0, NULL }
};

int counter_add(PyObject *module)
{
	known = PyDict_New();
	if (known == NULL)
		return -1;
	PyObject *const type = PyType_FromModuleAndSpec(module, &spec, NULL);
	if (type == NULL)
		return -1;
	counter_type = (PyTypeObject *)type;
	return PyModule_AddObjectRef(module, "Counter", type);
}
