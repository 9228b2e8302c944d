/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer_events.c - marks, logs, samples and allocations of a capture writer.
 */
#include <stddef.h>
#include <string.h>

#include <syscap/emit.h>

#include "base/frame.h"
#include "base/text.h"
#include "sysprof_compat/writer.h"

#define MARK_SIZE sizeof(struct syscap_wire_mark)
#define CUT       (SYSCAP_STACK_CUT & SYC_FRAME_STACK_FLAGS)

/* Compute the end of a mark.  A duration above INT64_MAX counts as 0. */
static inline int64_t end_of(int64_t time, uint64_t duration)
{
	int64_t end;

	if (__builtin_add_overflow(time, (int64_t)duration, &end) || end < time)
		end = time;
	return end;
}

/* Write all fields of a mark except its group and name. */
static bool begin_mark(SysprofCaptureWriter *self, struct syc_adding *a,
                       int64_t time, int cpu, int32_t pid, uint64_t duration,
                       const char *message, size_t n)
{
	if (!syc_adding_begin(self, a, MARK_SIZE + n + 1,
	                      SYSPROF_CAPTURE_FRAME_MARK, time, cpu, pid))
		return false;
	syc_store_word(a->frame + SYC_AT(mark, duration), duration);
	syc_writer_cover(self, end_of(time, duration));
	syc_frame_text_copy(a->frame + MARK_SIZE, message, n);
	return true;
}

bool sysprof_capture_writer_add_mark(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid, uint64_t duration,
                                     const char *group, const char *name,
                                     const char *message)
{
	struct syc_adding a;

	if (!begin_mark(self, &a, time, cpu, pid, duration, message,
	                syc_frame_text_size(message, MARK_SIZE)))
		return false;
	struct syscap_wire_mark *const mark = (void *)a.frame;
	syc_text_put(mark->group, sizeof(mark->group), group);
	syc_text_put(mark->name, sizeof(mark->name), name);
	return syc_adding_end(&a);
}

/* Do the work of add_mark_quickly() in the general case. */
static SYC_COLD bool add_mark_slowly(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid, uint64_t duration,
                                     const struct syscap_dropin_site *site,
                                     const char *message, size_t len)
{
	struct syc_adding a;

	if (!begin_mark(self, &a, time, cpu, pid, duration, message,
	                syc_frame_text_cut(message, len, MARK_SIZE)))
		return false;
	memcpy(a.frame + SYC_AT(mark, group), site, sizeof(*site));
	return syc_adding_end(&a);
}

/* Add a mark after an announcement by syc_buffer_begin(). */
static SYC_COLD bool add_mark_disturbed(SysprofCaptureWriter *self,
                                        int64_t time, int cpu, int32_t pid,
                                        uint64_t duration,
                                        const struct syscap_dropin_site *site,
                                        const char *message, size_t len)
{
	const size_t n = (MARK_SIZE + len + 1 + 7) & ~(size_t)7;
	struct syc_adding a = { .writer = self };

	a.next = self->life->buffer.end;
	if (!syc_writer_enter(&a, (uint32_t)n, time))
		return false;
	syc_writer_put_head(self, a.frame, n, SYSPROF_CAPTURE_FRAME_MARK, time,
	                    cpu, pid);
	syc_store_word(a.frame + SYC_AT(mark, duration), duration);
	syc_writer_cover(self, end_of(time, duration));
	syc_frame_text_copy(a.frame + MARK_SIZE, message, len);
	memcpy(a.frame + SYC_AT(mark, group), site, sizeof(*site));
	return syc_adding_end(&a);
}

/* Handle the usual case, without a function call, so the function saves no
 * register. */
static inline __attribute__((always_inline)) bool
add_mark_quickly(SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
                 uint64_t duration, const struct syscap_dropin_site *site,
                 const char *message, size_t len)
{
	const size_t n = (MARK_SIZE + len + 1 + 7) & ~(size_t)7;
	struct syc_buffer_frame frame = { .next = 0 };

	if (SYC_UNLIKELY(
		    self == NULL || len > 32 || syc_writer_is_due(self, time) ||
		    !syc_buffer_begin(&self->buffer, (uint32_t)n, &frame))) {
		if (frame.next != 0)
			return add_mark_disturbed(self, time, cpu, pid,
			                          duration, site, message, len);
		return add_mark_slowly(self, time, cpu, pid, duration, site,
		                       message, len);
	}
	syc_writer_put_head(self, frame.at, n, SYSPROF_CAPTURE_FRAME_MARK, time,
	                    cpu, pid);
	syc_store_word(frame.at + SYC_AT(mark, duration), duration);
	syc_writer_cover(self, end_of(time, duration));
	memcpy(frame.at + SYC_AT(mark, group), site, sizeof(*site));
	syc_frame_text_copy(frame.at + MARK_SIZE, message, len);
	if (SYC_UNLIKELY(syc_buffer_end(&self->buffer, frame.next)))
		return syc_writer_settle(self);
	return true;
}

static __attribute__((noinline)) bool
add_mark_with_text(SysprofCaptureWriter *self, int64_t time, int cpu,
                   int32_t pid, uint64_t duration,
                   const struct syscap_dropin_site *site, const char *message,
                   size_t len)
{
	return add_mark_quickly(self, time, cpu, pid, duration, site, message,
	                        len);
}

bool syscap_dropin_writer_add_mark_at(SysprofCaptureWriter *self, int64_t time,
                                      int cpu, int32_t pid, uint64_t duration,
                                      const struct syscap_dropin_site *site,
                                      const char *message, size_t len)
{
	if (len != 0)
		return add_mark_with_text(self, time, cpu, pid, duration, site,
		                          message, len);
	return add_mark_quickly(self, time, cpu, pid, duration, site, "", 0);
}

#define LOG_SIZE   sizeof(struct syscap_wire_log)
#define LINE_SHORT 32u /* copied without a call */

static inline void put_severity(unsigned char *frame, int severity)
{
	syc_store_word(frame + SYC_AT(log, severity),
	               SYC_WORD(log, severity, (uint16_t)severity));
}

bool sysprof_capture_writer_add_log(SysprofCaptureWriter *self, int64_t time,
                                    int cpu, int32_t pid, int severity,
                                    const char *domain, const char *message)
{
	const size_t n = syc_frame_text_size(message, LOG_SIZE);
	struct syc_adding a;

	if (!syc_adding_begin(self, &a, LOG_SIZE + n + 1,
	                      SYSPROF_CAPTURE_FRAME_LOG, time, cpu, pid))
		return false;
	put_severity(a.frame, severity);
	syc_text_put((char *)a.frame + SYC_AT(log, domain),
	             SYC_SIZE(log, domain), domain);
	syc_frame_text_copy(a.frame + LOG_SIZE, message, n);
	return syc_adding_end(&a);
}

/*
 * Add a log in the general case.  @announced is the frame that an interrupted
 * call of syc_buffer_begin() has announced, or 0.
 */
static SYC_COLD bool add_log_slowly(SysprofCaptureWriter *self, int64_t time,
                                    int cpu, int32_t pid, int severity,
                                    const struct syscap_dropin_domain *domain,
                                    const char *message, size_t n,
                                    uint64_t announced)
{
	const uint32_t len = (uint32_t)(LOG_SIZE + n + 1 + 7) & ~7u;
	struct syc_adding a = { .writer = self, .next = announced };

	if (self == NULL)
		return syc_adding_refuse(EINVAL);
	if (!syc_writer_enter(&a, len, time))
		return false;
	syc_writer_put_head(self, a.frame, len, SYSPROF_CAPTURE_FRAME_LOG, time,
	                    cpu, pid);
	syc_writer_cover(self, time);
	put_severity(a.frame, severity);
	memcpy(a.frame + SYC_AT(log, domain), domain, sizeof(*domain));
	syc_frame_text_copy(a.frame + LOG_SIZE, message, n);
	return syc_adding_end(&a);
}

/* Handle the usual case, without a function call, so the function saves no
 * register. */
bool syscap_dropin_writer_add_log_at(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid, int severity,
                                     const struct syscap_dropin_domain *domain,
                                     const char *message, size_t len)
{
	const uint32_t size = (uint32_t)(LOG_SIZE + len + 1 + 7) & ~7u;
	struct syc_buffer_frame frame = { .next = 0 };

	if (SYC_UNLIKELY(self == NULL || len > LINE_SHORT ||
	                 syc_writer_is_due(self, time) ||
	                 !syc_buffer_begin(&self->buffer, size, &frame)))
		return add_log_slowly(
			self, time, cpu, pid, severity, domain, message,
			syc_frame_text_cut(message, len, LOG_SIZE), frame.next);
	syc_writer_put_head(self, frame.at, size, SYSPROF_CAPTURE_FRAME_LOG,
	                    time, cpu, pid);
	syc_writer_cover(self, time);
	put_severity(frame.at, severity);
	memcpy(frame.at + SYC_AT(log, domain), domain, sizeof(*domain));
	syc_frame_text_copy(frame.at + LOG_SIZE, message, len);
	if (SYC_UNLIKELY(syc_buffer_end(&self->buffer, frame.next)))
		return syc_writer_settle(self);
	return true;
}

/* Size of a sample without addresses, and number of addresses that are copied
 * without a call. */
#define SAMPLE_SIZE ((uint32_t)sizeof(struct syscap_wire_sample))
#define STACK_SHORT 64u

/* Begin a frame that ends with addresses, and copy as many addresses as fit. */
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

/* Fill the fields between the header of a sample and its addresses. */
static inline void fill_sample(unsigned char *frame, int32_t tid, unsigned n,
                               unsigned flags)
{
	syc_store_word(frame + SYC_AT(sample, n_addrs),
	               SYC_WORD(sample, tid, (uint32_t)tid) |
	                       SYC_WORD(sample, flags, flags) |
	                       SYC_WORD(sample, n_addrs, n));
}

/*
 * Add a stack in the general case.  @announced is the frame that an interrupted
 * call of syc_buffer_begin() has announced, or 0.
 */
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
	            (entering ? SYC_FRAME_FLAG : 0) | (n != n_addrs ? CUT : 0));
	return syc_adding_end(&a);
}

/* Copy eight bytes at a time, without a call, because a call would save
 * registers. */
static inline void copy_addresses(unsigned char *to,
                                  const SysprofCaptureAddress *from, unsigned n)
{
	const SysprofCaptureAddress *const end = from + n;

	for (; n >= 4; n -= 4) {
		memcpy(to, from, 4 * sizeof(*from));
		from += 4;
		to += 4 * sizeof(*from);
		/* Without this barrier the loop becomes a call */
		__asm__("" : "+r"(from));
	}
	for (; from != end; to += sizeof(*from)) {
		memcpy(to, from++, sizeof(*from));
		__asm__("" : "+r"(from));
	}
}

/* Handle the usual case, without a function call. */
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
	fill_sample(frame.at, tid, n, entering ? SYC_FRAME_FLAG : 0);
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
	/* Write a sample, for readers that stop at an unknown type */
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
	allocation->padding = n != n_addrs ? CUT : 0;
	return syc_adding_end(&a);
}
