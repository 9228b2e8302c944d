/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sound.c - check that a pointer still leads to an object (walker.h).
 *
 * In freed memory, a link of the allocator replaces the reference count.  The
 * link is not a valid count.
 */
#include "walker/walker.h"

bool object_is_sound(PyObject *object, PyTypeObject *type, size_t size)
{
	if (((uintptr_t)object & 7) != 0 || !bridge->readable(object, size))
		return false;
	/* In 3.12 counts are less than 2^32 */
	const uint64_t count = (uint64_t)object->ob_refcnt;
	return object->ob_type == type && count != 0 && count >> 33 == 0;
}
