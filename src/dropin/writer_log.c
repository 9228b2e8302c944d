/* SPDX-License-Identifier: BSD-2-Clause */
/* writer_log.c - lines of logs that a capture writer takes. */
#include <stddef.h>
#include <string.h>

#include <syscap/emit.h>

#include "base/text.h"
#include "dropin/frame_text.h"
#include "dropin/writer.h"

#define LOG_SIZE   sizeof(struct syscap_wire_log)
#define LINE_SHORT 32u /* what is copied without a call */

static inline void put_severity(unsigned char *frame, int severity)
{
	syc_store_word(frame + SYC_AT(log, severity), (uint16_t)severity);
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

/* As below, whatever has to be done for it; @announced: by a call of
 * syc_buffer_begin() that has lost its way. */
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

/* What nearly all lines are has no call inside, so no register to save. */
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
