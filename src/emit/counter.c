/* SPDX-License-Identifier: BSD-2-Clause */
/* counter.c - counter definitions, and values that callers set together, or
 * only if changed. */
#define _GNU_SOURCE
#include <string.h>

#include "base/frame.h"
#include "emit/event.h"
#include "emit/process.h"

#define PER_GROUP  8u
#define MAX_GROUPS 682u

static unsigned char *take_definition(struct syc_thread *st,
                                      const struct syscap_counter *counter,
                                      int64_t time)
{
	unsigned char *const frame =
		syc_reserve(st,
	                    sizeof(struct syscap_wire_ctrdef) +
	                            sizeof(struct syscap_wire_counter),
	                    SYSCAP_FRAME_CTRDEF, time);

	if (frame == NULL)
		return NULL;
	struct syscap_wire_counter *const to =
		(void *)(frame + sizeof(struct syscap_wire_ctrdef));
	syc_store_word(frame + SYC_AT(ctrdef, n_counters),
	               SYC_WORD(ctrdef, n_counters, 1));
	memcpy(to->category, counter->category, sizeof(to->category));
	memcpy(to->name, counter->name, sizeof(to->name));
	memcpy(to->description, counter->description, sizeof(to->description));
	const uint32_t id_and_type = SYC_FRAME_COUNTER_ID(
		__atomic_load_n(&counter->id, __ATOMIC_RELAXED), counter->type);
	memcpy(to->id, &id_and_type, sizeof(id_and_type));
	to->value = 0;
	return frame;
}

bool syc_counter_define_once(struct syc_thread *st,
                             const struct syscap_counter *counter, int64_t time)
{
	unsigned char *const frame = take_definition(st, counter, time);

	if (frame == NULL)
		return false;
	syc_commit(frame, SYSCAP_FRAME_CTRDEF, st->tid_tag);
	return true;
}

/*
 * Define @counter in this ring, then set its bit.  The next frame publishes the
 * definition, even if this emit dies in between.
 */
bool syc_counter_define(struct syc_thread *st, struct syscap_counter *counter,
                        int64_t time)
{
	if (syc_counter_is_defined(st, counter))
		return true;
	const uint32_t index = syc_counter_id_give(counter);

	if (index < SYC_DEFINED_MAX &&
	    (st->defined[index / 64] >> index % 64 & 1) != 0)
		return true;
	/* A lost definition counts as a CTRDEF.  The counter's value is lost,
	 * too, and is not counted a second time. */
	if (!syc_counter_define_once(st, counter, time))
		return false;
	if (index < SYC_DEFINED_MAX)
		__atomic_or_fetch(&st->defined[index / 64],
		                  UINT64_C(1) << index % 64, __ATOMIC_RELAXED);
	return true;
}

SYC_COLD void syc_counter_slow(struct syscap_counter *counter, uint64_t bits,
                               int64_t now, const void *cfa)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_CTRSET);
	volatile uintptr_t token;

	if (st == NULL)
		return;
	const bool outermost = syc_enter_from(st, &token, cfa);
	unsigned char *const frame =
		syc_counter_define(st, counter, now)
			? syc_reserve(st, SYC_CTRSET_LEN, SYSCAP_FRAME_CTRSET,
	                              now)
			: NULL;
	if (frame != NULL) {
		syc_counter_fill(
			frame, __atomic_load_n(&counter->id, __ATOMIC_RELAXED),
			bits);
		syc_commit(frame, SYSCAP_FRAME_CTRSET, st->tid_tag);
	}
	syc_leave(st, &token, outermost);
}

static void emit_value(struct syscap_counter *counter, uint64_t bits)
{
	if (!syscap_is_active())
		return;
	const uint32_t losses =
		syc_process_is_there()
			? (uint32_t)__atomic_load_n(&syc_process->n_dropped,
	                                            __ATOMIC_RELAXED)
			: 0;
	/* index 0: no thread has sent the value.  Two racing threads may both
	 * send the value. */
	if (__atomic_load_n(&counter->index, __ATOMIC_RELAXED) != 0 &&
	    __atomic_load_n(&counter->last, __ATOMIC_RELAXED) == bits &&
	    __atomic_load_n(&counter->losses, __ATOMIC_RELAXED) == losses)
		return;
	__atomic_store_n(&counter->last, bits, __ATOMIC_RELAXED);
	__atomic_store_n(&counter->losses, losses, __ATOMIC_RELAXED);
	syscap_counter_set_bits(counter, bits);
}

void syscap_counter_update_int64(struct syscap_counter *counter, int64_t value)
{
	emit_value(counter, (uint64_t)value);
}

void syscap_counter_update_double(struct syscap_counter *counter, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	emit_value(counter, bits);
}

static void set_group(struct syc_thread *st,
                      struct syscap_counter *const *counters,
                      const union syscap_value *values, unsigned n, int64_t now)
{
	const uint32_t n_groups = (n + PER_GROUP - 1) / PER_GROUP;
	const uint32_t len =
		(uint32_t)(sizeof(struct syscap_wire_ctrset) +
	                   n_groups * sizeof(struct syscap_wire_values));

	for (unsigned i = 0; i < n; i++)
		if (!syc_counter_define(st, counters[i], now))
			return;
	unsigned char *const frame =
		syc_reserve(st, len, SYSCAP_FRAME_CTRSET, now);
	if (frame == NULL)
		return;
	struct syscap_wire_values *const groups =
		(void *)(frame + sizeof(struct syscap_wire_ctrset));
	syc_store_word(frame + SYC_AT(ctrset, n_groups),
	               SYC_WORD(ctrset, n_groups, n_groups));
	memset(groups, 0, n_groups * sizeof(*groups));
	for (unsigned i = 0; i < n; i++) {
		struct syscap_wire_values *const group = &groups[i / PER_GROUP];

		group->ids[i % PER_GROUP] =
			__atomic_load_n(&counters[i]->id, __ATOMIC_RELAXED);
		memcpy(&group->values[i % PER_GROUP], &values[i],
		       sizeof(values[i]));
	}
	syc_commit(frame, SYSCAP_FRAME_CTRSET, st->tid_tag);
}

void syscap_counters_set(struct syscap_counter *const *counters,
                         const union syscap_value *values, unsigned n)
{
	volatile uintptr_t token;

	if (!syscap_is_active() || n == 0)
		return;
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_CTRSET);
	if (st == NULL)
		return;
	const int64_t now = syc_clock(st);
	const bool outermost = syc_enter(st, &token);
	while (n != 0) {
		const unsigned some =
			n < PER_GROUP * MAX_GROUPS ? n : PER_GROUP * MAX_GROUPS;

		set_group(st, counters, values, some, now);
		counters += some;
		values += some;
		n -= some;
	}
	syc_leave(st, &token, outermost);
}
