/* SPDX-License-Identifier: BSD-2-Clause */
/* writer_mark.c - marks that a capture writer takes. */
#include <stddef.h>
#include <string.h>

#include <syscap/emit.h>

#include "base/text.h"
#include "dropin/frame_text.h"
#include "dropin/writer.h"

#define MARK_SIZE sizeof(struct syscap_wire_mark)

/* Until when a mark goes on.  Durations above INT64_MAX are none. */
static inline int64_t end_of(int64_t time, uint64_t duration)
{
	int64_t end;

	if (__builtin_add_overflow(time, (int64_t)duration, &end) || end < time)
		end = time;
	return end;
}

/* All of a mark but its group and name. */
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

/* As below, whatever has to be done for it. */
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

/* The same, where syc_buffer_begin() has announced the frame. */
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

/* What nearly all marks are has no call inside, so no register to save. */
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
