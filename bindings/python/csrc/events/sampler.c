/* SPDX-License-Identifier: BSD-2-Clause */
/* sampler.c - the sampler, whose interface for users is syscap/_sampling.py. */
#include <errno.h>
#include <string.h>

#include <syscap/sampler.h>

#include "events/args.h"
#include "events/events.h"

#define ERROR "SamplingError"

static bool get_number(PyObject *value, long max, const char *name,
                       long *ret_number)
{
	*ret_number = PyLong_AsLong(value);
	if (*ret_number == -1 && PyErr_Occurred() != NULL)
		return false;
	if (*ret_number < 0 || *ret_number > max) {
		PyErr_Format(PyExc_ValueError, "%s must be 0 to %ld, not %ld",
		             name, max, *ret_number);
		return false;
	}
	return true;
}

static PyObject *py_start(PyObject *module, PyObject *const *args, Py_ssize_t n,
                          PyObject *kwnames)
{
	static const struct args_form form = { "sampler_start",
		                               5,
		                               5,
		                               { "hz", "clock", "signal",
		                                 "max_depth", "stacks" } };
	struct syscap_sampler_options options = { .size = sizeof(options) };
	PyObject *value[ARGS_MAX];
	long hz, clock, signal, max_depth, stacks;
	int error;

	(void)module;
	if (!args_get(&form, args, n, kwnames, value) ||
	    !get_number(value[0], 20000, "hz", &hz) ||
	    !get_number(value[1], SYSCAP_SAMPLER_PERF, "clock", &clock) ||
	    !get_number(value[2], 64, "signal", &signal) ||
	    !get_number(value[3], 512, "max_depth", &max_depth) ||
	    !get_number(value[4], SYSCAP_SAMPLER_NATIVE, "stacks", &stacks))
		return NULL;
	options.hz = (uint32_t)hz;
	options.clock = (uint32_t)clock;
	options.signal = (int)signal;
	options.max_depth = (uint32_t)max_depth;
	options.stacks = (uint32_t)stacks;
	Py_BEGIN_ALLOW_THREADS error = syscap_sampler_start(&options);
	Py_END_ALLOW_THREADS if (error != 0) return raise_error(
		ERROR, error, options.message);
	return PyUnicode_FromString(options.message);
}

static PyObject *py_stop(PyObject *module, PyObject *unused)
{
	int error;

	(void)module;
	(void)unused;
	Py_BEGIN_ALLOW_THREADS error = syscap_sampler_stop();
	Py_END_ALLOW_THREADS if (error != 0) return raise_error(
		ERROR, error,
		error == -ENOENT ? "nothing is sampled" : strerror(-error));
	Py_RETURN_NONE;
}

static PyObject *py_stats(PyObject *module, PyObject *unused)
{
	static const char *const clocks[] = { "auto", "cpu", "wall", "perf" };
	struct syscap_sampler_stats stats = { .size = sizeof(stats) };

	(void)module;
	(void)unused;
	syscap_sampler_get_stats(&stats);
	return Py_BuildValue(
		"{s:K,s:K,s:K,s:K,s:K,s:K,s:I,s:I,s:I,s:i,s:s,s:I}", "samples",
		(unsigned long long)stats.n_samples, "due",
		(unsigned long long)stats.n_due, "cut",
		(unsigned long long)stats.n_cut, "stopped",
		(unsigned long long)stats.n_stopped, "refused",
		(unsigned long long)stats.n_refused, "foreign",
		(unsigned long long)stats.n_foreign, "threads",
		(unsigned)stats.n_threads, "unsampled",
		(unsigned)stats.n_unsampled, "names_lost",
		(unsigned)stats.n_names_lost, "signal", stats.signal, "clock",
		clocks[stats.clock % 4], "hz", (unsigned)stats.hz);
}

PyMethodDef sampler_methods[] = {
	{ "sampler_start", AS_METHOD(py_start), KEYWORDS,
	  "sampler_start(hz, clock, signal, max_depth, stacks)\n--\n\n"
	  "Sample every thread of this process; return a description." },
	{ "sampler_stop", py_stop, METH_NOARGS,
	  "sampler_stop()\n--\n\nNo sample is taken after it returns." },
	{ "sampler_stats", py_stats, METH_NOARGS,
	  "sampler_stats()\n--\n\nStatistics of samples since the process "
	  "began." },
	{ NULL, NULL, 0, NULL }
};
