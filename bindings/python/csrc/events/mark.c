/* SPDX-License-Identifier: BSD-2-Clause */
/* mark.c - marks, logs and metadata from Python. */
#include <limits.h>

#include <syscap.h>

#include "events/args.h"
#include "events/events.h"
#include "events/number.h"
#include "events/text.h"
#include "events/thread.h"

/* get_time()'s result for a missing time, no valid time */
#define NOW INT64_MIN

/* @object as nanoseconds, or @otherwise if @object is NULL or None. */
static bool get_time(PyObject *object, int64_t otherwise, int64_t *ret_time)
{
	*ret_time = otherwise;
	return object == NULL || object == Py_None ||
	       number_whole(object, ret_time);
}

static PyObject *emit_mark(PyObject *const *value, int64_t begin,
                           int64_t duration)
{
	struct text group, name, message = { NULL, NULL };

	if (!text_get(&group, value[0]))
		return NULL;
	if (text_get(&name, value[1])) {
		if (text_get(&message, value[2]))
			syscap_mark(group.utf8, name.utf8, begin, duration,
			            message.utf8);
		text_put(&message);
	}
	text_put(&name);
	text_put(&group);
	if (PyErr_Occurred() != NULL)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *py_mark(PyObject *module, PyObject *const *args, Py_ssize_t n,
                         PyObject *kwnames)
{
	static const struct args_form form = { "mark",
		                               2,
		                               3,
		                               { "group", "name", "message",
		                                 "begin", "duration" } };
	PyObject *value[ARGS_MAX];
	int64_t begin, duration;

	(void)module;
	if (!args_get(&form, args, n, kwnames, value) ||
	    !text_check(value[0], "group") || !text_check(value[1], "name") ||
	    !text_check_optional(value[2], "message") ||
	    !number_check_optional(value[3], "begin") ||
	    !number_check_optional(value[4], "duration"))
		return NULL;
	if (!is_recorded())
		Py_RETURN_NONE;
	const int64_t now = syscap_clock();
	const bool has_begin = value[3] != NULL && value[3] != Py_None;
	if (!get_time(value[3], now, &begin) ||
	    !get_time(value[4], has_begin ? now - begin : 0, &duration))
		return NULL;
	if (has_begin && begin == 0) /* begin() without a recording */
		Py_RETURN_NONE;
	return emit_mark(value, begin, duration);
}

/*
 * Emit a part at @begin: without a duration, except a whole operation, which
 * lasts from a given @begin until now.
 */
static PyObject *emit_linked(PyObject *const *value, int64_t begin)
{
	struct syscap_mark_site site = { { 0 }, { 0 } };
	const int64_t now = syscap_clock();
	const uint64_t id = PyLong_AsUnsignedLongLongMask(value[3]);
	struct text message;
	int64_t link;

	if (PyErr_Occurred() != NULL || !number_whole(value[2], &link) ||
	    !text_fill(site.group, sizeof(site.group), value[0]) ||
	    !text_fill(site.name, sizeof(site.name), value[1]) ||
	    !text_get(&message, value[4]))
		return NULL;
	if (begin == NOW)
		begin = now;
	syscap_linked_at(&site,
	                 link >= 0 && link <= SYSCAP_LINK_IN ? (unsigned)link
	                                                     : UINT_MAX,
	                 id, begin, link == SYSCAP_LINK_WHOLE ? now - begin : 0,
	                 message.utf8);
	text_put(&message);
	Py_RETURN_NONE;
}

static PyObject *py_linked(PyObject *module, PyObject *const *args,
                           Py_ssize_t n, PyObject *kwnames)
{
	static const struct args_form form = { "linked",
		                               4,
		                               5,
		                               { "group", "name", "link", "id",
		                                 "message", "begin" } };
	PyObject *value[ARGS_MAX];
	int64_t begin;

	(void)module;
	if (!args_get(&form, args, n, kwnames, value) ||
	    !text_check(value[0], "group") || !text_check(value[1], "name") ||
	    !number_check(value[2], "link") || !number_check(value[3], "id") ||
	    !text_check_optional(value[4], "message") ||
	    !number_check_optional(value[5], "begin"))
		return NULL;
	if (!is_recorded())
		Py_RETURN_NONE;
	if (!get_time(value[5], NOW, &begin))
		return NULL;
	if (begin == 0) /* begin() without a recording */
		Py_RETURN_NONE;
	return emit_linked(value, begin);
}

/* Unknown severities count as a message. */
static unsigned severity_of(int64_t number)
{
	switch (number) {
	case SYSCAP_ERROR:
	case SYSCAP_CRITICAL:
	case SYSCAP_WARNING:
	case SYSCAP_INFO:
	case SYSCAP_DEBUG:
		return (unsigned)number;
	default:
		return SYSCAP_MESSAGE;
	}
}

static PyObject *py_log(PyObject *module, PyObject *const *args, Py_ssize_t n,
                        PyObject *kwnames)
{
	static const struct args_form form = {
		"log", 3, 3, { "severity", "domain", "message" }
	};
	PyObject *value[ARGS_MAX];
	struct text domain, message;
	int64_t severity;

	(void)module;
	if (!args_get(&form, args, n, kwnames, value) ||
	    !number_check(value[0], "severity") ||
	    !text_check(value[1], "domain") || !text_check(value[2], "message"))
		return NULL;
	if (!is_recorded())
		Py_RETURN_NONE;
	if (!number_whole(value[0], &severity) || !text_get(&domain, value[1]))
		return NULL;
	if (text_get(&message, value[2]))
		syscap_log(severity_of(severity), domain.utf8, message.utf8);
	text_put(&message);
	text_put(&domain);
	if (PyErr_Occurred() != NULL)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *py_metadata(PyObject *module, PyObject *const *args,
                             Py_ssize_t n, PyObject *kwnames)
{
	static const struct args_form form = {
		"metadata", 2, 2, { "id", "value" }
	};
	PyObject *value[ARGS_MAX];
	struct text id, text;

	(void)module;
	if (!args_get(&form, args, n, kwnames, value) ||
	    !text_check(value[0], "id") || !text_check(value[1], "value"))
		return NULL;
	if (!is_recorded())
		Py_RETURN_NONE;
	if (!text_get(&id, value[0]))
		return NULL;
	if (text_get(&text, value[1]))
		syscap_metadata(id.utf8, text.utf8);
	text_put(&text);
	text_put(&id);
	if (PyErr_Occurred() != NULL)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *py_is_active(PyObject *module, PyObject *unused)
{
	(void)module;
	(void)unused;
	return PyBool_FromLong(syscap_is_active());
}

static PyObject *py_clock(PyObject *module, PyObject *unused)
{
	(void)module;
	(void)unused;
	return PyLong_FromLongLong(syscap_clock());
}

static PyObject *py_begin(PyObject *module, PyObject *unused)
{
	(void)module;
	(void)unused;
	return PyLong_FromLongLong(syscap_begin());
}

static PyObject *py_nothing(PyObject *module, PyObject *unused)
{
	(void)module;
	(void)unused;
	Py_RETURN_NONE;
}

PyMethodDef mark_methods[] = {
	{ "mark", AS_METHOD(py_mark), KEYWORDS,
	  "mark(group, name, message=None, *, begin=None, duration=None)\n"
	  "--\n\n"
	  "Record a mark: an instant now, or from begin (of begin()) until\n"
	  "now, or for duration nanoseconds from begin on." },
	{ "linked", AS_METHOD(py_linked), KEYWORDS,
	  "linked(group, name, link, id, message=None, *, begin=None)\n--\n\n"
	  "Record a part of an operation, or an end of an arrow.  Marks\n"
	  "with the same group and id belong together.  link is one of LINK_*.\n"
	  "With begin, a result of begin(), the part has this time, and a\n"
	  "LINK_WHOLE lasts from begin until now." },
	{ "log", AS_METHOD(py_log), KEYWORDS,
	  "log(severity, domain, message)\n--\n\n"
	  "Record a line of text.  severity is one of ERROR ... DEBUG,\n"
	  "another number is MESSAGE." },
	{ "metadata", AS_METHOD(py_metadata), KEYWORDS,
	  "metadata(id, value)\n--\n\n"
	  "Record a fact about the run, such as a version." },
	{ "is_active", py_is_active, METH_NOARGS,
	  "is_active()\n--\n\nTrue while events may be recorded." },
	{ "clock", py_clock, METH_NOARGS,
	  "clock()\n--\n\nNow, in ns of CLOCK_MONOTONIC." },
	{ "begin", py_begin, METH_NOARGS,
	  "begin()\n--\n\nNow, for mark(begin=...); 0 while nothing records." },
	{ "_nothing", py_nothing, METH_NOARGS, "Cost of a call." },
	{ NULL, NULL, 0, NULL }
};
