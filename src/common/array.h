/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * array.h - an array that grows.
 *
 *	SYC_ARRAY(int64_t) values = { 0 };
 *
 *	if (syc_array_push(&values, 42) < 0)
 *		return -ENOMEM;
 *	free(values.items);
 *
 * The capacity grows by half, so it is never twice as large as needed. A failed
 * push leaves the array unchanged.
 */
#ifndef SYC_COMMON_ARRAY_H
#define SYC_COMMON_ARRAY_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SYC_ARRAY(type)             \
	struct {                    \
		type *items;        \
		size_t n, capacity; \
	}

/* @items is the address of the pointer to the items, of any type. */
static inline int syc_array_grow(void *items, size_t *capacity, size_t size)
{
	const size_t wanted = *capacity + *capacity / 2 + 8;
	void *old, *grown;

	if (wanted > SIZE_MAX / size)
		return -ENOMEM;
	memcpy(&old, items, sizeof(old));
	grown = realloc(old, wanted * size);
	if (!grown)
		return -ENOMEM;
	memcpy(items, &grown, sizeof(grown));
	*capacity = wanted;
	return 0;
}

/* Reserve memory for one more item.  Returns 0 or -ENOMEM. */
#define syc_array_room(array)                                          \
	((array)->n < (array)->capacity                                \
	         ? 0                                                   \
	         : syc_array_grow(&(array)->items, &(array)->capacity, \
	                          sizeof(*(array)->items)))

/* Append @value.  Returns 0 or -ENOMEM. */
#define syc_array_push(array, value)                           \
	(syc_array_room(array) == 0                            \
	         ? ((array)->items[(array)->n++] = (value), 0) \
	         : -ENOMEM)

#endif
