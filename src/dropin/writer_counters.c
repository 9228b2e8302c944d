/* SPDX-License-Identifier: BSD-2-Clause */
/* writer_counters.c - counters and stacks by callback, in a capture writer. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include <syscap/emit.h>

#include "base/text.h"
#include "dropin/values.h"
#include "dropin/writer.h"
#include "emit/stack.h"

#define MAX_COUNTERS 511u

/* Behind a text's NUL callers leave what was on their stack. */
static void copy_field(char *field, size_t size, const char *from)
{
	const size_t n = strnlen(from, size - 1);

	memcpy(field, from, n);
	memset(field + n, 0, size - n);
}

static void fill_counter(struct syscap_wire_counter *to,
                         const SysprofCaptureCounter *from)
{
	const uint32_t id_and_type = from->id | (uint32_t)from->type << 24;

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
	syc_store_word(a.frame + SYC_AT(ctrdef, n_counters), n);
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

/* @n_set of the @n can be set. */
static bool add_values(SysprofCaptureWriter *self, int64_t time, int cpu,
                       int32_t pid, const unsigned *ids,
                       const SysprofCaptureCounterValue *values, unsigned n,
                       unsigned n_set)
{
	struct syc_adding a;

	if (!syc_adding_begin(self, &a, syc_values_len(n_set),
	                      SYSPROF_CAPTURE_FRAME_CTRSET, time, cpu, pid))
		return false;
	syc_values_write(a.frame, ids, values, n, n_set);
	return syc_adding_end(&a);
}

bool sysprof_capture_writer_set_counters(
	SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
	const unsigned int *counters_ids,
	const SysprofCaptureCounterValue *values, unsigned int n_counters)
{
	if (n_counters != 0 && (counters_ids == NULL || values == NULL)) {
		errno = EINVAL;
		return false;
	}
	while (n_counters != 0) {
		const unsigned n = n_counters < SYC_VALUES_MOST
		                           ? n_counters
		                           : SYC_VALUES_MOST;
		const unsigned n_set = syc_values_count(counters_ids, n);

		if (n_set != 0 && !add_values(self, time, cpu, pid,
		                              counters_ids, values, n, n_set))
			return false;
		counters_ids += n;
		values += n;
		n_counters -= n;
	}
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
