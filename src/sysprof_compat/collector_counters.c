/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collector_counters.c - counters that callers identify by number.
 *
 * The entry of a requested number's index keeps the definition forever.  A
 * definition stores the entry's own index last (release), so that a reader of
 * the index (acquire) may read the other fields.
 *
 * Each ring gets the definition before the first value, as with the counters of
 * <syscap.h>.  Other numbers, and numbers beyond a ring's table, are only
 * defined when the caller defines them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include <syscap.h>

#define SYSPROF_DROPIN_NO_INLINE
#include <sysprof-6/sysprof-collector.h>

#include "base/text.h"
#include "emit/event.h"
#include "sysprof_compat/lazy_init.h"
#include "sysprof_compat/values.h"

/* Counters by index, in pages that stay zero until their use.  The thread that
 * changes `claimed` owns the entry. */
static struct syscap_counter entries[SYC_DEFINED_MAX];
static bool claimed[SYC_DEFINED_MAX];

/* Recently used entries, by the last bits of their numbers. */
#define N_RECENT 64u
static struct syscap_counter *recent[N_RECENT];

unsigned int sysprof_collector_request_counters(unsigned int n_counters)
{
	syc_lazy_init_check();
	return syscap_is_active() ? syc_counter_id_request(n_counters) : 0;
}

/*
 * The entry with the definition of @id, or NULL.  A stored entry never changes,
 * so `recent` finds recently used entries without the computation of the index.
 */
static struct syscap_counter *find_by_index(uint32_t id)
{
	const uint32_t index = syc_counter_id_index(id);

	if (index == 0 || index >= SYC_DEFINED_MAX)
		return NULL;
	struct syscap_counter *const entry = &entries[index];
	return __atomic_load_n(&entry->index, __ATOMIC_ACQUIRE) == index &&
	                       entry->id == id
	               ? entry
	               : NULL;
}

static inline struct syscap_counter *find_counter(uint32_t id)
{
	struct syscap_counter **const place = &recent[id % N_RECENT];
	struct syscap_counter *entry = __atomic_load_n(place, __ATOMIC_ACQUIRE);

	if (SYC_LIKELY(entry != NULL && entry->id == id))
		return entry;
	entry = find_by_index(id);
	if (entry != NULL)
		__atomic_store_n(place, entry, __ATOMIC_RELEASE);
	return entry;
}

/* Copy a text.  A text without a NUL ends with its field, and the bytes after a
 * NUL are arbitrary. */
static void copy_unended(char *field, size_t size, const char *from)
{
	memcpy(field, from, strnlen(from, size - 1));
}

static void convert_counter(struct syscap_counter *to,
                            const SysprofCaptureCounter *from)
{
	memset(to, 0, sizeof(*to));
	copy_unended(to->category, sizeof(to->category), from->category);
	copy_unended(to->name, sizeof(to->name), from->name);
	copy_unended(to->description, sizeof(to->description),
	             from->description);
	to->type = from->type == SYSPROF_CAPTURE_COUNTER_DOUBLE ? SYSCAP_DOUBLE
	                                                        : SYSCAP_INT64;
	to->id = from->id;
}

static bool are_same(const struct syscap_counter *a,
                     const struct syscap_counter *b)
{
	return a->type == b->type &&
	       memcmp(a->category, b->category, sizeof(a->category)) == 0 &&
	       memcmp(a->name, b->name, sizeof(a->name)) == 0 &&
	       memcmp(a->description, b->description, sizeof(a->description)) ==
	               0;
}

/* The entry for @counter if an entry now has the texts of @counter; else
 * NULL. */
static struct syscap_counter *keep_counter(const struct syscap_counter *counter)
{
	const uint32_t index = syc_counter_id_index(counter->id);
	struct syscap_counter *entry = find_counter(counter->id);

	if (entry == NULL && index != 0 && index < SYC_DEFINED_MAX &&
	    !__atomic_exchange_n(&claimed[index], true, __ATOMIC_RELAXED)) {
		entry = &entries[index];
		*entry = *counter;
		__atomic_store_n(&entry->index, index, __ATOMIC_RELEASE);
	}
	return entry != NULL && are_same(entry, counter) ? entry : NULL;
}

void sysprof_collector_define_counters(const SysprofCaptureCounter *counters,
                                       unsigned int n_counters)
{
	volatile uintptr_t token;

	if (!syscap_is_active() || counters == NULL)
		return;
	for (unsigned i = 0; i < n_counters; i++) {
		struct syscap_counter counter;

		if (counters[i].id == 0)
			continue;
		convert_counter(&counter, &counters[i]);
		struct syscap_counter *const entry = keep_counter(&counter);
		struct syc_thread *const st =
			syc_thread_get(SYSCAP_FRAME_CTRDEF);
		if (st == NULL)
			return;
		const int64_t now = syc_clock(st);
		const bool outermost = syc_enter(st, &token);
		if (entry != NULL)
			syc_counter_define(st, entry, now);
		else
			syc_counter_define_once(st, &counter, now);
		syc_leave(st, &token, outermost);
	}
}

static void emit_values(struct syc_thread *st, const unsigned int *ids,
                        const SysprofCaptureCounterValue *values, unsigned n,
                        int64_t now)
{
	const unsigned n_set = syc_values_count(ids, n);

	if (n_set == 0)
		return;
	for (unsigned i = 0; i < n; i++) {
		struct syscap_counter *const entry = find_counter(ids[i]);

		if (entry != NULL && !syc_counter_define(st, entry, now))
			return;
	}
	unsigned char *const frame = syc_reserve(st, syc_values_len(n_set),
	                                         SYSCAP_FRAME_CTRSET, now);
	if (frame == NULL)
		return;
	syc_values_write(frame, ids, values, n, n_set);
	syc_commit(frame, SYSCAP_FRAME_CTRSET, st->tid_tag);
}

/* Set counters in the general case. */
static SYC_COLD void set_slowly(struct syc_thread *st, const unsigned int *ids,
                                const SysprofCaptureCounterValue *values,
                                unsigned n, int64_t now, const void *cfa)
{
	volatile uintptr_t token;
	const bool outermost = syc_enter_from(st, &token, cfa);

	while (n != 0) {
		const unsigned some = n < SYC_VALUES_MOST ? n : SYC_VALUES_MOST;

		emit_values(st, ids, values, some, now);
		ids += some;
		values += some;
		n -= some;
	}
	syc_leave(st, &token, outermost);
}

/* Return whether the ring has all definitions of the bits [first, first +
 * n). */
static inline bool has_definitions(const struct syc_thread *st, uint32_t first,
                                   unsigned n)
{
	const uint64_t *const words = &st->defined[first / 64];
	const unsigned at = first % 64, end = at + n;
	const uint64_t low = ~UINT64_C(0) << at;

	if (end <= 64)
		return (~words[0] & low & ~UINT64_C(0) >> (64 - end)) == 0;
	return ((~words[0] & low) | (~words[1] << (128 - end))) == 0;
}

/*
 * Return whether @ids are successive, as from syc_counter_id_request(), and all
 * defined in the ring of @st.  The entries of successive, defined ids need not
 * be read.
 */
static inline bool is_defined_row(const struct syc_thread *st,
                                  const unsigned int *ids, unsigned n)
{
	unsigned odd = 0;

	if (n > 64)
		return false;
	for (unsigned i = 1; i < n; i++)
		odd |= ids[i] ^ (ids[0] + i);
	if (odd != 0)
		return false;
	struct syscap_counter *const entry = find_counter(ids[0]);
	return entry != NULL && entry->index + n <= SYC_DEFINED_MAX &&
	       has_definitions(st, entry->index, n);
}

static __attribute__((noinline)) void
set_all(const unsigned int *ids, const SysprofCaptureCounterValue *values,
        unsigned n)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_CTRSET);
	volatile uintptr_t token;
	struct syc_place place;

	if (st == NULL)
		return;
	const int64_t now = syc_clock(st);
	if (SYC_UNLIKELY(!is_defined_row(st, ids, n) ||
	                 !syc_begin(st, &token, syc_values_len(n), &place))) {
		set_slowly(st, ids, values, n, now, __builtin_dwarf_cfa());
		return;
	}
	syc_store_head(place.frame, now,
	               place.tag_word |
	                       SYC_WORD(frame, type, SYSCAP_FRAME_CTRSET));
	syc_values_write(place.frame, ids, values, n, n);
	syc_end(st, &token, &place);
}

/* Set a counter that this process has not defined, so no definition precedes
 * the value. */
static void set_undefined(uint32_t id, uint64_t bits)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_CTRSET);
	volatile uintptr_t token;
	struct syc_event event;

	if (st == NULL || !syc_event_begin(&event, st, &token, SYC_CTRSET_LEN,
	                                   SYSCAP_FRAME_CTRSET, syc_clock(st)))
		return;
	syc_counter_fill(event.frame, id, bits);
	syc_event_end(&event, st, &token,
	              event.tag_word |
	                      SYC_WORD(frame, type, SYSCAP_FRAME_CTRSET));
}

void sysprof_collector_set_counters(const unsigned int *counters_ids,
                                    const SysprofCaptureCounterValue *values,
                                    unsigned int n_counters)
{
	if (!syscap_is_active() || n_counters == 0 || counters_ids == NULL ||
	    values == NULL)
		return;
	if (n_counters == 1) {
		struct syscap_counter *const entry =
			find_counter(counters_ids[0]);

		if (entry != NULL)
			syscap_counter_set_bits(entry, (uint64_t)values[0].v64);
		else if (syc_values_is_id(counters_ids[0]))
			set_undefined(counters_ids[0], (uint64_t)values[0].v64);
		return;
	}
	set_all(counters_ids, values, n_counters);
}
