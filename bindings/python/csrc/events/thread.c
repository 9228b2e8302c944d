/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread.c - names of threads (thread.h).
 *
 * This file sets the kernel's names, which recorders, debuggers and top show.
 * The kernel takes 15 bytes.  The number at the end of a name distinguishes a
 * pool's threads, so a long name is cut before the number.
 */
#define _GNU_SOURCE
#include "events/thread.h"

#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NAME_MAX_BYTES 15
#define NUMBER_MAX     6 /* "-12_34" */

__thread bool thread_is_met;

/* True if @c continues a UTF-8 character. */
static bool is_within_character(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

static bool is_of_number(char c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/* Length of the number at the end of @name, of @n bytes. */
static size_t number_at_end(const char *name, size_t n)
{
	size_t found = 0;

	while (found < n && found < NUMBER_MAX &&
	       is_of_number(name[n - found - 1]))
		found++;
	return found;
}

static void give_name(const char *name, size_t n)
{
	char kept[NAME_MAX_BYTES + 1];
	size_t head = n, tail = 0;

	if (n > NAME_MAX_BYTES) {
		tail = number_at_end(name, n);
		head = NAME_MAX_BYTES - tail;
		while (head > 0 && is_within_character(name[head]))
			head--;
	}
	memcpy(kept, name, head);
	memcpy(kept + head, name + n - tail, tail);
	kept[head + tail] = '\0';
	if (kept[0] != '\0')
		prctl(PR_SET_NAME, kept);
}

static void give_name_of(PyObject *thread)
{
	PyObject *const name = PyObject_GetAttrString(thread, "name");
	Py_ssize_t n;
	const char *const text = name != NULL && PyUnicode_Check(name)
	                                 ? PyUnicode_AsUTF8AndSize(name, &n)
	                                 : NULL;

	if (text != NULL)
		give_name(text, strnlen(text, (size_t)n));
	Py_XDECREF(name);
}

/* A new reference to an attribute of threading, or NULL, also if threading is
 * not imported. */
static PyObject *get_of_threading(const char *attribute)
{
	PyObject *const name = PyUnicode_FromString("threading");
	PyObject *const threading =
		name != NULL ? PyImport_GetModule(name) : NULL;
	PyObject *const found =
		threading != NULL ? PyObject_GetAttrString(threading, attribute)
				  : NULL;

	Py_XDECREF(threading);
	Py_XDECREF(name);
	return found;
}

/* Uses threading's dict, since current_thread() makes objects for unknown
 * threads. */
static void name_known(void)
{
	PyObject *const threads = get_of_threading("_active");
	PyObject *const ident =
		PyLong_FromUnsignedLong(PyThread_get_thread_ident());
	PyObject *const thread =
		threads != NULL && ident != NULL && PyDict_Check(threads)
			? PyDict_GetItemWithError(threads, ident)
			: NULL;

	if (thread != NULL)
		give_name_of(thread);
	Py_XDECREF(ident);
	Py_XDECREF(threads);
}

void thread_meet(void)
{
	PyObject *type, *value, *traceback;

	if (thread_is_met)
		return;
	thread_is_met = true;
	if (gettid() == getpid())
		return;
	PyErr_Fetch(&type, &value, &traceback);
	name_known();
	/* drops an exception of this function, too */
	PyErr_Restore(type, value, traceback);
}

void thread_begin(PyObject *thread)
{
	PyObject *const class = get_of_threading("Thread");

	if (class != NULL && PyObject_IsInstance(thread, class) == 1) {
		thread_is_met = true;
		give_name_of(thread);
	}
	Py_XDECREF(class);
	PyErr_Clear();
}
