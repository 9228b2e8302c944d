/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sound.c - whether something is an object still (walker.h).
 *
 * Freed memory holds a link of the allocator's where the reference count was,
 * which is no count.
 */
#include "walker/walker.h"

bool object_is_sound(PyObject *object, PyTypeObject *type, size_t size)
{
	if (((uintptr_t)object & 7) != 0 || !bridge->readable(object, size))
		return false;
	/* Of the second word of 3.12's: numbers are less than 2^32, there */
	const uint64_t count = (uint64_t)object->ob_refcnt;
	return object->ob_type == type && count != 0 && count >> 33 == 0;
}
