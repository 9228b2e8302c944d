/* SPDX-License-Identifier: BSD-2-Clause */
/* writer_counters.c - counters and stacks by callback, in a capture writer. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include <syscap/emit.h>

#include "base/frame.h"
#include "base/text.h"
#include "emit/sample.h"
#include "sysprof_compat/values.h"
#include "sysprof_compat/writer.h"

#define MAX_COUNTERS 511u

/* Copy a text and clear the bytes after its NUL, where callers leave stale
 * stack bytes. */
static void copy_field(char *field, size_t size, const char *from)
{
	const size_t n = strnlen(from, size - 1);

	memcpy(field, from, n);
	memset(field + n, 0, size - n);
}

static void fill_counter(struct syscap_wire_counter *to,
                         const SysprofCaptureCounter *from)
{
	const uint32_t id_and_type =
		SYC_FRAME_COUNTER_ID((uint32_t)from->id, (uint32_t)from->type);

	copy_field(to->category, sizeof(to->category), from->category);
	copy_field(to->name, sizeof(to->name), from->name);
	copy_field(to->description, sizeof(to->description), from->description);
	memcpy(to->id, &id_and_type, sizeof(id_and_type));
	memcpy(&to->value, &from->value, sizeof(to->value));
}

static bool define_counters(SysprofCaptureWriter *self, int64_t time, int cpu,
                            int32_t pid, const SysprofCaptureCounter *counters,
                            unsigned n)
{
	struct syc_adding a;

	if (!syc_adding_begin(self, &a,
	                      sizeof(struct syscap_wire_ctrdef) +
	                              n * sizeof(struct syscap_wire_counter),
	                      SYSPROF_CAPTURE_FRAME_CTRDEF, time, cpu, pid))
		return false;
	struct syscap_wire_counter *const to =
		(void *)(a.frame + sizeof(struct syscap_wire_ctrdef));
	syc_store_word(a.frame + SYC_AT(ctrdef, n_counters),
	               SYC_WORD(ctrdef, n_counters, n));
	for (unsigned i = 0; i < n; i++)
		fill_counter(&to[i], &counters[i]);
	return syc_adding_end(&a);
}

bool sysprof_capture_writer_define_counters(
	SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
	const SysprofCaptureCounter *counters, unsigned int n_counters)
{
	for (unsigned i = 0; i < n_counters; i++) {
		if (counters == NULL || counters[i].id == 0) {
			errno = EINVAL;
			return false;
		}
	}
	while (n_counters != 0) {
		const unsigned n =
			n_counters < MAX_COUNTERS ? n_counters : MAX_COUNTERS;

		if (!define_counters(self, time, cpu, pid, counters, n))
			return false;
		counters += n;
		n_counters -= n;
	}
	return true;
}

/*
 * Add the values of the @n_set of the @n counters that can be set.  @announced
 * is the frame that a failed call of syc_buffer_begin() has announced, or 0.
 */
static bool add_values(SysprofCaptureWriter *self, int64_t time, int cpu,
                       int32_t pid, const unsigned *ids,
                       const SysprofCaptureCounterValue *values, unsigned n,
                       unsigned n_set, uint64_t announced)
{
	const uint32_t len = syc_values_len(n_set);
	struct syc_adding a = { .writer = self, .next = announced };

	if (!syc_writer_enter(&a, len, time))
		return false;
	syc_writer_put_head(self, a.frame, len, SYSPROF_CAPTURE_FRAME_CTRSET,
	                    time, cpu, pid);
	syc_writer_cover(self, time);
	syc_values_write(a.frame, ids, values, n, n_set);
	return syc_adding_end(&a);
}

/* Do the work of sysprof_capture_writer_set_counters() in the general case. */
static SYC_COLD bool set_values_slowly(SysprofCaptureWriter *self, int64_t time,
                                       int cpu, int32_t pid,
                                       const unsigned *ids,
                                       const SysprofCaptureCounterValue *values,
                                       unsigned n_counters, uint64_t announced)
{
	if (self == NULL ||
	    (n_counters != 0 && (ids == NULL || values == NULL)))
		return syc_adding_refuse(EINVAL);
	while (n_counters != 0) {
		const unsigned n = n_counters < SYC_VALUES_MOST
		                           ? n_counters
		                           : SYC_VALUES_MOST;
		const unsigned n_set = syc_values_count(ids, n);

		if (n_set != 0 && !add_values(self, time, cpu, pid, ids, values,
		                              n, n_set, announced))
			return false;
		ids += n;
		values += n;
		n_counters -= n;
	}
	return true;
}

/* Handle the usual case, without a function call. */
bool sysprof_capture_writer_set_counters(
	SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
	const unsigned int *counters_ids,
	const SysprofCaptureCounterValue *values, unsigned int n_counters)
{
	const uint32_t len = syc_values_len(n_counters);
	struct syc_buffer_frame frame = { .next = 0 };

	if (SYC_UNLIKELY(self == NULL || counters_ids == NULL ||
	                 values == NULL || n_counters - 1 >= SYC_VALUES_MOST ||
	                 syc_values_count(counters_ids, n_counters) !=
	                         n_counters ||
	                 syc_writer_is_due(self, time) ||
	                 !syc_buffer_begin(&self->buffer, len, &frame)))
		return set_values_slowly(self, time, cpu, pid, counters_ids,
		                         values, n_counters, frame.next);
	syc_writer_put_head(self, frame.at, len, SYSPROF_CAPTURE_FRAME_CTRSET,
	                    time, cpu, pid);
	syc_writer_cover(self, time);
	syc_values_write(frame.at, counters_ids, values, n_counters,
	                 n_counters);
	if (SYC_UNLIKELY(syc_buffer_end(&self->buffer, frame.next)))
		return syc_writer_settle(self);
	return true;
}

bool sysprof_capture_writer_add_allocation(
	SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
	int32_t tid, SysprofCaptureAddress alloc_addr, int64_t alloc_size,
	SysprofBacktraceFunc backtrace_func, void *backtrace_data)
{
	struct syc_stack stack;

	syc_stack_take(&stack, backtrace_func, backtrace_data);
	return sysprof_capture_writer_add_allocation_copy(
		self, time, cpu, pid, tid, alloc_addr, alloc_size,
		syc_stack_addrs(&stack), stack.n);
}
