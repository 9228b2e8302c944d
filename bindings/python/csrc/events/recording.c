/* SPDX-License-Identifier: BSD-2-Clause */
/* recording.c - the process's own capture, and counts of events. */
#include <errno.h>
#include <string.h>

#include <syscap.h>

#include "events/args.h"
#include "events/events.h"

/* of start(), stop() and drain() */
#define ERROR "RecordingError"

static PyObject *make_error(const char *name, int error, PyObject *text)
{
	PyObject *const module = PyImport_ImportModule("syscap._errors");
	PyObject *made = NULL;

	if (module != NULL)
		made = PyObject_CallMethod(module, name, "iO", -error, text);
	Py_XDECREF(module);
	return made;
}

PyObject *raise_error(const char *name, int error, const char *message)
{
	PyObject *const text = PyUnicode_DecodeUTF8(
		message, (Py_ssize_t)strlen(message), "replace");

	if (text == NULL)
		return NULL;
	if (error == -EINVAL) {
		PyErr_SetObject(PyExc_ValueError, text);
	} else {
		PyObject *const made = make_error(name, error, text);

		if (made != NULL)
			PyErr_SetObject((PyObject *)Py_TYPE(made), made);
		Py_XDECREF(made);
	}
	Py_DECREF(text);
	return NULL;
}

/* @value, if given, as a number up to @max. */
static bool get_number(PyObject *value, uint64_t max, const char *name,
                       uint64_t *ret_number)
{
	*ret_number = 0;
	if (value == NULL)
		return true;
	*ret_number = PyLong_AsUnsignedLongLong(value);
	if (PyErr_Occurred() != NULL)
		return false;
	if (*ret_number > max)
		PyErr_Format(PyExc_ValueError, "%s is too large", name);
	return *ret_number <= max;
}

static bool get_options(PyObject *const *value, struct syscap_options *options)
{
	uint64_t ring, interval, flush;

	if (!get_number(value[1], UINT64_MAX, "max_bytes",
	                &options->max_bytes) ||
	    !get_number(value[2], UINT32_MAX, "ring_kib", &ring) ||
	    !get_number(value[3], UINT32_MAX, "interval_ms", &interval) ||
	    !get_number(value[4], UINT32_MAX, "exit_flush_ms", &flush))
		return false;
	options->ring_kib = (uint32_t)ring;
	options->interval_ms = (uint32_t)interval;
	options->exit_flush_ms = (uint32_t)flush;
	return true;
}

static PyObject *py_start(PyObject *module, PyObject *const *args, Py_ssize_t n,
                          PyObject *kwnames)
{
	static const struct args_form form = { "start",
		                               1,
		                               1,
		                               { "output", "max_bytes",
		                                 "ring_kib", "interval_ms",
		                                 "exit_flush_ms" } };
	struct syscap_options options = { .size = sizeof(options) };
	PyObject *value[ARGS_MAX], *path;
	int error;

	(void)module;
	if (!args_get(&form, args, n, kwnames, value) ||
	    !get_options(value, &options) ||
	    !PyUnicode_FSConverter(value[0], &path))
		return NULL;
	options.output = PyBytes_AsString(path);
	Py_BEGIN_ALLOW_THREADS error = syscap_start(&options);
	Py_END_ALLOW_THREADS Py_DECREF(path);
	if (error != 0)
		return raise_error(ERROR, error, options.message);
	return PyUnicode_DecodeFSDefault(options.message);
}

static const char *why_stop_failed(int error)
{
	switch (error) {
	case -ENOENT:
		return "start() was not called";
	case -EFBIG:
		return "the capture had reached max_bytes";
	case -ETIMEDOUT:
		return "the last events were not written within 5 s";
	default:
		return strerror(-error);
	}
}

static PyObject *py_stop(PyObject *module, PyObject *unused)
{
	int error;

	(void)module;
	(void)unused;
	Py_BEGIN_ALLOW_THREADS error = syscap_stop();
	Py_END_ALLOW_THREADS if (error != 0) return raise_error(
		ERROR, error, why_stop_failed(error));
	Py_RETURN_NONE;
}

/* Events that are not written in time stay in the rings until later. */
static PyObject *py_drain(PyObject *module, PyObject *unused)
{
	int error;

	(void)module;
	(void)unused;
	Py_BEGIN_ALLOW_THREADS error = syscap_drain();
	Py_END_ALLOW_THREADS if (error != 0) return raise_error(
		ERROR, error, strerror(-error));
	Py_RETURN_NONE;
}

static PyObject *py_stats(PyObject *module, PyObject *unused)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	(void)module;
	(void)unused;
	syscap_get_stats(&stats);
	PyObject *const output = PyUnicode_DecodeFSDefault(stats.output);
	if (output == NULL)
		return NULL;
	return Py_BuildValue(
		"{s:N,s:s,s:K,s:K,s:K,s:I,s:N,s:K,s:N}", "is_active",
		PyBool_FromLong(stats.is_active), "reason", stats.reason,
		"dropped", (unsigned long long)stats.n_dropped, "abandoned",
		(unsigned long long)stats.n_abandoned, "untold",
		(unsigned long long)stats.n_untold, "rings",
		(unsigned)stats.n_rings, "clock_is_tsc",
		PyBool_FromLong(stats.clock_is_tsc), "written",
		(unsigned long long)stats.n_written, "output", output);
}

PyMethodDef recording_methods[] = {
	{ "start", AS_METHOD(py_start), KEYWORDS,
	  "start(output, *, max_bytes=0, ring_kib=0, interval_ms=0,\n"
	  "      exit_flush_ms=0)\n--\n\n"
	  "Record this process into its own capture; returns the file's name." },
	{ "stop", py_stop, METH_NOARGS,
	  "stop()\n--\n\nEnd the recording of start()." },
	{ "drain", py_drain, METH_NOARGS,
	  "drain()\n--\n\n"
	  "Write all emitted events into this process's own capture now." },
	{ "stats", py_stats, METH_NOARGS,
	  "stats()\n--\n\nStatistics of this process's events, a dict." },
	{ NULL, NULL, 0, NULL }
};
