/* SPDX-License-Identifier: BSD-2-Clause */
/* writer_counters.c - counters and stacks by callback, in a capture writer. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include <syscap/emit.h>

#include "base/text.h"
#include "client/stack.h"
#include "dropin/writer.h"

#define PER_GROUP    8u
#define MAX_GROUPS   682u
#define MAX_COUNTERS 511u
#define ID_MAX       ((1u << 24) - 1)

/* Behind a text's NUL callers leave what was on their stack. */
static void copy_field(unsigned char *field, size_t size, const char *from)
{
	const size_t n = strnlen(from, size - 1);

	memcpy(field, from, n);
	memset(field + n, 0, size - n);
}

static void fill_counter(unsigned char *at, const SysprofCaptureCounter *from)
{
	const uint32_t id_and_type = from->id | (uint32_t)from->type << 24;

	copy_field(at, 32, from->category);
	copy_field(at + 32, 32, from->name);
	copy_field(at + 64, 52, from->description);
	memcpy(at + 116, &id_and_type, 4);
	memcpy(at + 120, &from->value, 8);
}

static bool define(SysprofCaptureWriter *self, int64_t time, int cpu,
                   int32_t pid, const SysprofCaptureCounter *counters,
                   unsigned n)
{
	struct sc_adding a;

	if (!sc_writer_begin(self, &a, 32 + 128 * (size_t)n,
	                     SYSPROF_CAPTURE_FRAME_CTRDEF, time, cpu, pid))
		return false;
	sc_store_word(a.frame + 24, n);
	for (unsigned i = 0; i < n; i++)
		fill_counter(a.frame + 32 + 128 * (size_t)i, &counters[i]);
	return sc_writer_end(&a);
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

		if (!define(self, time, cpu, pid, counters, n))
			return false;
		counters += n;
		n_counters -= n;
	}
	return true;
}

static bool is_id(unsigned id)
{
	return id != 0 && id <= ID_MAX;
}

/* @n_set of the @n can be set. */
static bool set(SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
                const unsigned *ids, const SysprofCaptureCounterValue *values,
                unsigned n, unsigned n_set)
{
	const unsigned n_groups = (n_set + PER_GROUP - 1) / PER_GROUP;
	struct sc_adding a;
	unsigned slot = 0;

	if (!sc_writer_begin(self, &a, 32 + 96 * (size_t)n_groups,
	                     SYSPROF_CAPTURE_FRAME_CTRSET, time, cpu, pid))
		return false;
	sc_store_word(a.frame + 24, n_groups);
	memset(a.frame + 32, 0, 96 * (size_t)n_groups);
	for (unsigned i = 0; i < n && slot < n_set; i++) {
		if (!is_id(ids[i]))
			continue;
		unsigned char *const group =
			a.frame + 32 + 96 * (slot / PER_GROUP);
		memcpy(group + 4 * (slot % PER_GROUP), &ids[i], 4);
		memcpy(group + 32 + 8 * (slot % PER_GROUP), &values[i], 8);
		slot++;
	}
	return sc_writer_end(&a);
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
		const unsigned max = PER_GROUP * MAX_GROUPS;
		const unsigned n = n_counters < max ? n_counters : max;
		unsigned n_set = 0;

		for (unsigned i = 0; i < n; i++)
			n_set += is_id(counters_ids[i]);
		if (n_set != 0 &&
		    !set(self, time, cpu, pid, counters_ids, values, n, n_set))
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
	struct sc_stack stack;

	sc_stack_take(&stack, backtrace_func, backtrace_data);
	return sysprof_capture_writer_add_allocation_copy(
		self, time, cpu, pid, tid, alloc_addr, alloc_size,
		sc_stack_addrs(&stack), stack.n);
}
