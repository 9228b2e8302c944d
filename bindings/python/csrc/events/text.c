/* SPDX-License-Identifier: BSD-2-Clause */
/* text.c - str as UTF-8 for the library (text.h). */
#include "events/text.h"

#include <string.h>

static bool get_escaped(struct text *text, PyObject *str)
{
	PyErr_Clear();
	text->owner =
		PyUnicode_AsEncodedString(str, "utf-8", "backslashreplace");
	if (text->owner == NULL)
		return false;
	text->utf8 = PyBytes_AsString(text->owner);
	return text->utf8 != NULL;
}

bool text_get(struct text *text, PyObject *object)
{
	text->owner = NULL;
	text->utf8 = NULL;
	if (object == NULL || object == Py_None)
		return true;
	text->utf8 = PyUnicode_AsUTF8AndSize(object, NULL);
	return text->utf8 != NULL || get_escaped(text, object);
}

bool text_fill(char *to, size_t size, PyObject *str)
{
	struct text text;

	if (!text_get(&text, str))
		return false;
	size_t n = strlen(text.utf8);
	if (n >= size) {
		n = size - 1;
		while (n != 0 && (text.utf8[n] & 0xC0) == 0x80)
			n--;
	}
	memcpy(to, text.utf8, n);
	text_put(&text);
	return true;
}
