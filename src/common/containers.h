/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * containers.h - containers of data: growing arrays, maps of keys to numbers,
 * and sorted and grouped rows.
 */
#ifndef SYC_COMMON_CONTAINERS_H
#define SYC_COMMON_CONTAINERS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * An array that grows.
 *
 *	SYC_ARRAY(int64_t) values = { 0 };
 *
 *	if (syc_array_push(&values, 42) < 0)
 *		return -ENOMEM;
 *	free(values.items);
 *
 * The capacity grows by half, so it is never twice as large as needed.  A failed
 * push leaves the array unchanged.
 */

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

/*
 * A map: the numbers 0, 1, 2, ... of distinct keys, in their order of arrival.
 *
 * A key is any run of bytes, and is copied.  The caller keeps the value of a
 * key in an array, at the key's number.  So one map serves any value type, and
 * the order of output does not depend on hashes.
 */

struct syc_map_key {
	uint32_t hash;
	uint32_t len;
	const void *bytes;
};

struct syc_map_block; /* keys are in blocks, which never move */

/** An all-zero struct is an empty map. */
struct syc_map {
	struct syc_map_key *keys; /* keys by number */
	size_t n, capacity;
	uint32_t *slots; /* number of a key + 1; 0: free slot */
	size_t n_slots;  /* number of slots: a power of two, or 0 */
	struct syc_map_block *blocks;
	uint64_t seed;
};

void syc_map_fini(struct syc_map *map);

/** Find or add @key.  Returns 1 if @key is new, 0 if it exists, or
 * -ENOMEM. */
int syc_map_put(struct syc_map *map, const void *key, size_t len,
                size_t *ret_number);

bool syc_map_get(const struct syc_map *map, const void *key, size_t len,
                 size_t *ret_number);

/* Sorting and grouping of rows, and percentiles. */

/**
 * A qsort_r() for distinct row numbers.  The sort takes linear time and no
 * memory if most rows are near their sorted places.
 */
void syc_order(uint32_t *rows, size_t n,
               int (*compare)(const void *, const void *, void *), void *data);

/** Sort by the time of each row, and rows of equal times by number. */
void syc_order_by_time(uint32_t *rows, size_t n, const int64_t *times);

/** Rows to group. */
struct syc_group_rows {
	size_t n; /* at most UINT32_MAX */
	size_t n_groups;
	/* The row's group; UINT32_MAX omits the row. */
	uint32_t (*group_of)(const void *data, uint32_t row);
	/* Comparison of distinct rows, as for qsort_r(); NULL: comparison by
	 * number. */
	int (*compare)(const void *one, const void *other, void *data);
	const void *data;
};

/** An all-zero struct is an empty group. */
struct syc_group {
	/* Group g has rows[begins[g]] to rows[begins[g + 1] - 1], in order. */
	uint32_t *begins, *rows;
};

/** Returns 0 or -ENOMEM; on failure @group is empty. */
int syc_group_init(struct syc_group *group, const struct syc_group_rows *rows);
void syc_group_fini(struct syc_group *group);

/**
 * Percentile by nearest rank: the smallest value that is at least as large as
 * @percent % of the @n values.  @percent is at least 1.  The function reads each
 * value at most nine times.
 */
int64_t syc_rank_percentile(const int64_t *values, size_t n, unsigned percent);

#endif
