/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * values.h - values of counters that callers identify by number, in a frame's
 * layout, for the collector and for writers.  The functions are pure.
 */
#ifndef SYC_SYSPROF_COMPAT_VALUES_H
#define SYC_SYSPROF_COMPAT_VALUES_H

#include <stdbool.h>
#include <string.h>

#include <syscap/emit.h>
#include <sysprof-6/sysprof-capture-types.h>

#define SYC_VALUES_PER_GROUP 8u
#define SYC_VALUES_MOST      (682u * SYC_VALUES_PER_GROUP)

/* Return whether @id is a counter.  Zero is not a counter, and ends a group for
 * readers. */
static inline bool syc_values_is_id(unsigned id)
{
	return id != 0 && id < 1u << 24;
}

/** Number of the @n counters that can be set, which is usually @n. */
static inline unsigned syc_values_count(const unsigned *ids, unsigned n)
{
	uint64_t odd = 0;
	unsigned n_set = 0, i = 0;

	/* Check two ids at a time: an id of 0 borrows, and an id that is too
	 * large has bits above 23 */
	for (; i + 2 <= n; i += 2) {
		uint64_t two;

		memcpy(&two, &ids[i], sizeof(two));
		odd |= two | (two - UINT64_C(0x0000000100000001));
	}
	if (i < n)
		odd |= ids[i] | (ids[i] - 1);
	if (SYC_LIKELY((odd & UINT64_C(0xFF000000FF000000)) == 0))
		return n;
	for (i = 0; i < n; i++)
		n_set += syc_values_is_id(ids[i]);
	return n_set;
}

/** The length of a frame of @n_set values. */
static inline uint32_t syc_values_len(unsigned n_set)
{
	const unsigned n_groups =
		(n_set + SYC_VALUES_PER_GROUP - 1) / SYC_VALUES_PER_GROUP;

	return (uint32_t)(sizeof(struct syscap_wire_ctrset) +
	                  n_groups * sizeof(struct syscap_wire_values));
}

/* Zero a group piece by piece.  For the whole group gcc would make `rep stos`,
 * which takes longer than the rest of the event. */
static inline void syc_values_wipe(struct syscap_wire_values *group)
{
	unsigned char *at = (unsigned char *)group;

	for (unsigned n = sizeof(*group) / 16; n > 0; n--, at += 16) {
		memset(at, 0, 16);
		__asm__("" : "+r"(at));
	}
}

/** Write one group of @n values, up to 8. */
static inline void
syc_values_write_group(struct syscap_wire_values *group, const unsigned *ids,
                       const SysprofCaptureCounterValue *from, unsigned n)
{
	if (SYC_LIKELY(n == SYC_VALUES_PER_GROUP)) {
		memcpy(group->ids, ids, sizeof(group->ids));
		memcpy(group->values, from, sizeof(group->values));
		return;
	}
	syc_values_wipe(group);
	for (unsigned i = 0; i < n; i++) {
		group->ids[i] = ids[i];
		memcpy(&group->values[i], &from[i], sizeof(from[i]));
	}
}

/** Write all bytes after the header, for the @n_set of the @n counters that can
 * be set. */
static inline void syc_values_write(unsigned char *frame, const unsigned *ids,
                                    const SysprofCaptureCounterValue *values,
                                    unsigned n, unsigned n_set)
{
	struct syscap_wire_values *const groups =
		(void *)(frame + sizeof(struct syscap_wire_ctrset));
	const size_t size =
		syc_values_len(n_set) - sizeof(struct syscap_wire_ctrset);
	unsigned slot = 0;

	syc_store_word(frame + SYC_AT(ctrset, n_groups),
	               SYC_WORD(ctrset, n_groups, size / sizeof(*groups)));
	if (SYC_LIKELY(n_set == n)) {
		for (unsigned i = 0; i < n; i += SYC_VALUES_PER_GROUP)
			syc_values_write_group(
				&groups[i / SYC_VALUES_PER_GROUP], &ids[i],
				&values[i],
				n - i < SYC_VALUES_PER_GROUP
					? n - i
					: SYC_VALUES_PER_GROUP);
		return;
	}
	memset(groups, 0, size);
	for (unsigned i = 0; i < n && slot < n_set; i++) {
		if (!syc_values_is_id(ids[i]))
			continue;
		struct syscap_wire_values *const group =
			&groups[slot / SYC_VALUES_PER_GROUP];
		const unsigned at = slot++ % SYC_VALUES_PER_GROUP;

		group->ids[at] = ids[i];
		memcpy(&group->values[at], &values[i],
		       sizeof(group->values[at]));
	}
}

#endif
