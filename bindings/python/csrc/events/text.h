/* SPDX-License-Identifier: BSD-2-Clause */
/* text.h - str as UTF-8 for the library. */
#ifndef SYSCAP_PYTHON_TEXT_H
#define SYSCAP_PYTHON_TEXT_H

#include <stdbool.h>

#include "events/args.h"

struct text {
	const char *utf8;
	PyObject *owner; /* NULL: the str owns the text */
};

/* Is @object a str?  If not, sets a TypeError that names @what. */
static inline bool text_check(PyObject *object, const char *what)
{
	return PyUnicode_Check(object) || args_refuse(object, what, "str");
}

/* Like text_check(), but NULL and None are also valid. */
static inline bool text_check_optional(PyObject *object, const char *what)
{
	return object == NULL || object == Py_None || text_check(object, what);
}

/* The UTF-8 of @object, a str or NULL or None.  Lone surrogates, as in file
 * names, which UTF-8 can't encode, are escaped: an event is not worth an
 * exception.  False: MemoryError is set. */
bool text_get(struct text *text, PyObject *object);

/* Copy a str into @to, of @size zero bytes, cut between characters. */
bool text_fill(char *to, size_t size, PyObject *str);

static inline void text_put(const struct text *text)
{
	Py_XDECREF(text->owner);
}

#endif
