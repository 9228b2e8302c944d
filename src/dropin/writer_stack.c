/* SPDX-License-Identifier: BSD-2-Clause */
/* writer_stack.c - what ends with a stack: samples and allocations. */
#include <stddef.h>
#include <string.h>

#include <syscap/emit.h>

#include "dropin/frame_text.h"
#include "dropin/writer.h"

/* Of a sample without addresses, and how many are copied without a call. */
#define SAMPLE_SIZE ((uint32_t)sizeof(struct syscap_wire_sample))
#define STACK_SHORT 64u

/* A frame that ends with addresses, as many as fit: they are in it. */
static inline __attribute__((always_inline)) bool
begin_stack(SysprofCaptureWriter *self, struct syc_adding *a, size_t fixed,
            unsigned type, int64_t time, int cpu, int32_t pid,
            const SysprofCaptureAddress *addrs, unsigned n_addrs,
            unsigned *ret_n)
{
	const unsigned max = (SYSCAP_FRAME_MAX - (unsigned)fixed) / 8;
	const unsigned n = n_addrs < max ? n_addrs : max;

	if (addrs == NULL && n != 0)
		return syc_adding_refuse(EINVAL);
	if (!syc_adding_begin(self, a, fixed + 8 * (size_t)n, type, time, cpu,
	                      pid))
		return false;
	syc_frame_text_copy(a->frame + fixed, (const char *)addrs,
	                    8 * (size_t)n);
	*ret_n = n;
	return true;
}

/* What stands between the header of a sample and its addresses. */
static inline void fill_sample(unsigned char *frame, int32_t tid, unsigned n,
                               unsigned flags)
{
	syc_store_word(frame + SYC_AT(sample, n_addrs),
	               (uint64_t)(uint32_t)tid << 32 | flags << 16 | n);
}

/* As below, whatever has to be done for it; @announced: by a call of
 * syc_buffer_begin() that has lost its way. */
static SYC_COLD bool add_stack_slowly(SysprofCaptureWriter *self, int64_t time,
                                      int cpu, int32_t pid, int32_t tid,
                                      const SysprofCaptureAddress *addrs,
                                      unsigned n_addrs, bool entering,
                                      uint64_t announced)
{
	const unsigned max = (SYSCAP_FRAME_MAX - SAMPLE_SIZE) / 8;
	const unsigned n = n_addrs < max ? n_addrs : max;
	const uint32_t len = SAMPLE_SIZE + 8 * n;
	struct syc_adding a = { .writer = self, .next = announced };

	if (self == NULL || (addrs == NULL && n != 0))
		return syc_adding_refuse(EINVAL);
	if (!syc_writer_enter(&a, len, time))
		return false;
	syc_writer_put_head(self, a.frame, len, SYSPROF_CAPTURE_FRAME_SAMPLE,
	                    time, cpu, pid);
	syc_writer_cover(self, time);
	syc_frame_text_copy(a.frame + SAMPLE_SIZE, (const char *)addrs,
	                    8 * (size_t)n);
	fill_sample(a.frame, tid, n,
	            entering | (n != n_addrs ? SYSCAP_STACK_CUT : 0));
	return syc_adding_end(&a);
}

/* Eight bytes each, in a row: a call would have registers saved. */
static inline void copy_addresses(unsigned char *to,
                                  const SysprofCaptureAddress *from, unsigned n)
{
	const SysprofCaptureAddress *const end = from + n;

	for (; n >= 4; n -= 4) {
		memcpy(to, from, 4 * sizeof(*from));
		from += 4;
		to += 4 * sizeof(*from);
		__asm__("" : "+r"(from)); /* or it becomes a call */
	}
	for (; from != end; to += sizeof(*from)) {
		memcpy(to, from++, sizeof(*from));
		__asm__("" : "+r"(from));
	}
}

/* What nearly all samples are has no call inside. */
static inline __attribute__((always_inline)) bool
add_stack(SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
          int32_t tid, const SysprofCaptureAddress *addrs, unsigned n,
          bool entering)
{
	const uint32_t len = SAMPLE_SIZE + 8 * n;
	struct syc_buffer_frame frame = { .next = 0 };

	if (SYC_UNLIKELY(self == NULL || addrs == NULL || n > STACK_SHORT ||
	                 syc_writer_is_due(self, time) ||
	                 !syc_buffer_begin(&self->buffer, len, &frame)))
		return add_stack_slowly(self, time, cpu, pid, tid, addrs, n,
		                        entering, frame.next);
	syc_writer_put_head(self, frame.at, len, SYSPROF_CAPTURE_FRAME_SAMPLE,
	                    time, cpu, pid);
	syc_writer_cover(self, time);
	copy_addresses(frame.at + SAMPLE_SIZE, addrs, n);
	fill_sample(frame.at, tid, n, entering);
	if (SYC_UNLIKELY(syc_buffer_end(&self->buffer, frame.next)))
		return syc_writer_settle(self);
	return true;
}

bool sysprof_capture_writer_add_sample(SysprofCaptureWriter *self, int64_t time,
                                       int cpu, int32_t pid, int32_t tid,
                                       const SysprofCaptureAddress *addrs,
                                       unsigned int n_addrs)
{
	return add_stack(self, time, cpu, pid, tid, addrs, n_addrs, false);
}

bool sysprof_capture_writer_add_trace(SysprofCaptureWriter *self, int64_t time,
                                      int cpu, int32_t pid, int32_t tid,
                                      const SysprofCaptureAddress *addrs,
                                      unsigned int n_addrs, bool entering)
{
	/* A sample, to those that end at a type they don't know */
	return add_stack(self, time, cpu, pid, tid, addrs, n_addrs, entering);
}

bool sysprof_capture_writer_add_allocation_copy(
	SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
	int32_t tid, SysprofCaptureAddress alloc_addr, int64_t alloc_size,
	const SysprofCaptureAddress *addrs, unsigned int n_addrs)
{
	struct syc_adding a;
	unsigned n;

	if (!begin_stack(self, &a, sizeof(struct syscap_wire_allocation),
	                 SYSPROF_CAPTURE_FRAME_ALLOCATION, time, cpu, pid,
	                 addrs, n_addrs, &n))
		return false;
	struct syscap_wire_allocation *const allocation = (void *)a.frame;
	allocation->addr = alloc_addr;
	allocation->size = alloc_size;
	allocation->tid = tid;
	allocation->n_addrs = (uint16_t)n;
	allocation->padding = n != n_addrs ? SYSCAP_STACK_CUT : 0;
	return syc_adding_end(&a);
}
