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

/* True if @object is a str.  Otherwise sets a TypeError that names @what. */
static inline bool text_check(PyObject *object, const char *what)
{
	return PyUnicode_Check(object) || args_refuse(object, what, "str");
}

/* Check as text_check() does, but NULL and None are also valid. */
static inline bool text_check_optional(PyObject *object, const char *what)
{
	return object == NULL || object == Py_None || text_check(object, what);
}

/* Get the UTF-8 of @object, a str or NULL or None.  Escapes lone surrogates, as
 * in file names, which UTF-8 cannot encode.  Returns false with a MemoryError
 * set. */
bool text_get(struct text *text, PyObject *object);

/* Copy a str into @to, of @size zero bytes, cut between characters. */
bool text_fill(char *to, size_t size, PyObject *str);

static inline void text_put(const struct text *text)
{
	Py_XDECREF(text->owner);
}

#endif
