/* SPDX-License-Identifier: BSD-2-Clause */
/* writer_add.c - each kind of frame that a capture writer takes. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <syscap/emit.h>

#include "base/text.h"
#include "dropin/writer.h"
#include "ring/clock.h"

#define FRAME_MAX SYSCAP_FRAME_MAX
#define MARK_SIZE sizeof(struct syscap_wire_mark)
/* Of a sample without addresses, and how many are copied without a call. */
#define SAMPLE_SIZE ((uint32_t)sizeof(struct syscap_wire_sample))
#define STACK_SHORT 64u

static bool refuse(int code)
{
	errno = code;
	return false;
}

/* Of the @len bytes of @text those that fit behind @fixed, with a NUL. */
static size_t cut_message(const char *text, size_t len, size_t fixed)
{
	const size_t max = FRAME_MAX - fixed - 1;

	return SYC_LIKELY(len <= max) ? len : syc_text_cut(text, len, max);
}

static size_t text_size(const char *text, size_t fixed)
{
	return cut_message(text, text != NULL ? strlen(text) : 0, fixed);
}

/* The frame's last 8 bytes are zero already. */
static inline void copy_message(unsigned char *at, const char *text, size_t n)
{
	syc_text_copy(at, text, n);
}

bool sysprof_capture_writer_add_file(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid, const char *path,
                                     bool is_last, const uint8_t *data,
                                     size_t data_len)
{
	const size_t fixed = SYSCAP_FILE_CHUNK_FIXED;
	struct syc_adding a;

	if (path == NULL || data_len > FRAME_MAX - fixed ||
	    (data == NULL && data_len != 0))
		return refuse(EINVAL);
	if (!syc_adding_begin(self, &a, fixed + data_len,
	                      SYSPROF_CAPTURE_FRAME_FILE_CHUNK, time, cpu, pid))
		return false;
	struct syscap_wire_file_chunk *const chunk = (void *)a.frame;
	chunk->is_last = is_last;
	chunk->len = (uint16_t)data_len;
	syc_text_field(chunk->path, sizeof(chunk->path), path);
	copy_message(a.frame + fixed, (const char *)data, data_len);
	return syc_adding_end(&a);
}

bool sysprof_capture_writer_add_file_fd(SysprofCaptureWriter *self,
                                        int64_t time, int cpu, int32_t pid,
                                        const char *path, int fd)
{
	uint8_t data[16128];

	for (;;) {
		const ssize_t n = read(fd, data, sizeof(data));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (!sysprof_capture_writer_add_file(self, time, cpu, pid, path,
		                                     n == 0, data, (size_t)n))
			return false;
		if (n == 0)
			return true;
	}
}

bool sysprof_capture_writer_add_map_with_build_id(
	SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
	uint64_t start, uint64_t end, uint64_t offset, uint64_t inode,
	const char *filename, const char *build_id)
{
	const size_t fixed = sizeof(struct syscap_wire_map);
	const size_t n_id = build_id != NULL ? strlen(build_id) : 0;
	struct syc_adding a;

	/* A NUL, an "@" and another NUL; ids are some tens of characters */
	if (n_id > 4096)
		return refuse(EINVAL);
	const size_t n = text_size(filename, fixed + n_id + 2);
	if (!syc_adding_begin(self, &a,
	                      fixed + n + 1 + (build_id != NULL ? n_id + 2 : 0),
	                      SYSPROF_CAPTURE_FRAME_MAP, time, cpu, pid))
		return false;
	struct syscap_wire_map *const map = (void *)a.frame;
	map->start = start;
	map->end = end;
	map->offset = offset;
	map->inode = inode;
	copy_message(a.frame + fixed, filename, n);
	if (build_id != NULL) {
		a.frame[fixed + n] = '\0';
		a.frame[fixed + n + 1] = '@';
		copy_message(a.frame + fixed + n + 2, build_id, n_id);
		a.frame[fixed + n + 2 + n_id] = '\0';
	}
	return syc_adding_end(&a);
}

bool sysprof_capture_writer_add_map(SysprofCaptureWriter *self, int64_t time,
                                    int cpu, int32_t pid, uint64_t start,
                                    uint64_t end, uint64_t offset,
                                    uint64_t inode, const char *filename)
{
	return sysprof_capture_writer_add_map_with_build_id(
		self, time, cpu, pid, start, end, offset, inode, filename,
		NULL);
}

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
	copy_message(a->frame + MARK_SIZE, message, n);
	return true;
}

bool sysprof_capture_writer_add_mark(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid, uint64_t duration,
                                     const char *group, const char *name,
                                     const char *message)
{
	struct syc_adding a;

	if (!begin_mark(self, &a, time, cpu, pid, duration, message,
	                text_size(message, MARK_SIZE)))
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
	                cut_message(message, len, MARK_SIZE)))
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
	copy_message(a.frame + MARK_SIZE, message, len);
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
	copy_message(frame.at + MARK_SIZE, message, len);
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

bool sysprof_capture_writer_add_metadata(SysprofCaptureWriter *self,
                                         int64_t time, int cpu, int32_t pid,
                                         const char *id, const char *metadata,
                                         ssize_t metadata_len)
{
	const size_t fixed = sizeof(struct syscap_wire_metadata);
	struct syc_adding a;
	size_t n = 0;

	if (metadata != NULL && metadata_len < 0)
		n = strlen(metadata);
	else if (metadata != NULL)
		n = (size_t)metadata_len;
	if (n > FRAME_MAX - fixed - 1)
		n = syc_text_cut(metadata, n, FRAME_MAX - fixed - 1);
	if (!syc_adding_begin(self, &a, fixed + n + 1,
	                      SYSPROF_CAPTURE_FRAME_METADATA, time, cpu, pid))
		return false;
	struct syscap_wire_metadata *const to = (void *)a.frame;
	syc_text_put(to->id, sizeof(to->id), id);
	copy_message(a.frame + fixed, metadata, n);
	return syc_adding_end(&a);
}

/* In a frame of its own, in front of its users. */
static bool tell_name(SysprofCaptureWriter *self, const struct syc_name *name)
{
	const size_t fixed = SYSCAP_JITMAP_FIXED;
	struct syc_writer_life *const life = self->life;
	struct syc_adding a;

	if (!syc_adding_begin(self, &a,
	                      fixed + sizeof(name->address) + name->len + 1,
	                      SYSPROF_CAPTURE_FRAME_JITMAP, syc_clock_kernel(),
	                      -1, life->pid))
		return false;
	((struct syscap_wire_jitmap *)(void *)a.frame)->n_jitmaps = 1;
	memcpy(a.frame + fixed, &name->address, sizeof(name->address));
	copy_message(a.frame + fixed + sizeof(name->address), name->text,
	             name->len);
	return syc_adding_end(&a);
}

/* It waits for others; where too many do, they are written first.  A handler
 * can't do that. */
static SYC_COLD bool tell_soon(SysprofCaptureWriter *self,
                               struct syc_name *name)
{
	struct syc_writer_life *const life = self->life;

	for (int i = 0; i < 2; i++) {
		const bool is_outermost = syc_buffer_enter(&self->buffer);
		const bool waits =
			syc_untold_add(&self->untold, name, life->told);

		if (!waits)
			__atomic_store_n(&life->buffer.wants_flush, true,
			                 __ATOMIC_RELAXED);
		if (is_outermost)
			syc_writer_leave_last(self);
		else
			syc_buffer_leave(&self->buffer);
		if (waits)
			return true;
	}
	const uint32_t told = life->told;
	if (!tell_name(self, name))
		return false;
	name->told = told;
	return true;
}

uint64_t sysprof_capture_writer_add_jitmap(SysprofCaptureWriter *self,
                                           const char *name)
{
	if (self == NULL) {
		errno = EINVAL;
		return 0;
	}
	struct syc_writer_life *const life = self->life;
	if (SYC_UNLIKELY(life->told == 0)) {
		/* A new process: what its parent told may not reach the file,
		 * and what it names from here on is not ours */
		life->pid = getpid();
		if (life->pid != self->pid)
			self->names.next = syc_names_scattered();
		life->told = ++self->n_told;
	}
	struct syc_name *const entry =
		syc_names_get(&self->names, name != NULL ? name : "");
	if (entry == NULL) {
		errno = ENOMEM;
		return 0;
	}
	if (SYC_UNLIKELY(entry->told != life->told) && !tell_soon(self, entry))
		return 0;
	return entry->address;
}

bool sysprof_capture_writer_add_process(SysprofCaptureWriter *self,
                                        int64_t time, int cpu, int32_t pid,
                                        const char *cmdline)
{
	const size_t fixed = SYC_HEAD_SIZE;
	const size_t n = text_size(cmdline, fixed);
	struct syc_adding a;

	if (!syc_adding_begin(self, &a, fixed + n + 1,
	                      SYSPROF_CAPTURE_FRAME_PROCESS, time, cpu, pid))
		return false;
	copy_message(a.frame + fixed, cmdline, n);
	return syc_adding_end(&a);
}

/* A frame that ends with addresses, as many as fit: they are in it. */
static inline __attribute__((always_inline)) bool
begin_stack(SysprofCaptureWriter *self, struct syc_adding *a, size_t fixed,
            unsigned type, int64_t time, int cpu, int32_t pid,
            const SysprofCaptureAddress *addrs, unsigned n_addrs,
            unsigned *ret_n)
{
	const unsigned max = (FRAME_MAX - (unsigned)fixed) / 8;
	const unsigned n = n_addrs < max ? n_addrs : max;

	if (addrs == NULL && n != 0)
		return refuse(EINVAL);
	if (!syc_adding_begin(self, a, fixed + 8 * (size_t)n, type, time, cpu,
	                      pid))
		return false;
	copy_message(a->frame + fixed, (const char *)addrs, 8 * (size_t)n);
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
	const unsigned max = (FRAME_MAX - SAMPLE_SIZE) / 8;
	const unsigned n = n_addrs < max ? n_addrs : max;
	const uint32_t len = SAMPLE_SIZE + 8 * n;
	struct syc_adding a = { .writer = self, .next = announced };

	if (self == NULL || (addrs == NULL && n != 0))
		return refuse(EINVAL);
	if (!syc_writer_enter(&a, len, time))
		return false;
	syc_writer_put_head(self, a.frame, len, SYSPROF_CAPTURE_FRAME_SAMPLE,
	                    time, cpu, pid);
	syc_writer_cover(self, time);
	copy_message(a.frame + SAMPLE_SIZE, (const char *)addrs, 8 * (size_t)n);
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

bool sysprof_capture_writer_add_fork(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid, int32_t child_pid)
{
	struct syc_adding a;

	if (!syc_adding_begin(self, &a, sizeof(struct syscap_wire_fork),
	                      SYSPROF_CAPTURE_FRAME_FORK, time, cpu, pid))
		return false;
	((struct syscap_wire_fork *)(void *)a.frame)->child_pid = child_pid;
	return syc_adding_end(&a);
}

static bool add_empty(SysprofCaptureWriter *self, unsigned type, int64_t time,
                      int cpu, int32_t pid)
{
	struct syc_adding a;

	return syc_adding_begin(self, &a, SYC_HEAD_SIZE, type, time, cpu,
	                        pid) &&
	       syc_adding_end(&a);
}

bool sysprof_capture_writer_add_exit(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid)
{
	return add_empty(self, SYSPROF_CAPTURE_FRAME_EXIT, time, cpu, pid);
}

bool sysprof_capture_writer_add_timestamp(SysprofCaptureWriter *self,
                                          int64_t time, int cpu, int32_t pid)
{
	return add_empty(self, SYSPROF_CAPTURE_FRAME_TIMESTAMP, time, cpu, pid);
}

bool sysprof_capture_writer_add_log(SysprofCaptureWriter *self, int64_t time,
                                    int cpu, int32_t pid, int severity,
                                    const char *domain, const char *message)
{
	const size_t fixed = sizeof(struct syscap_wire_log);
	const size_t n = text_size(message, fixed);
	struct syc_adding a;

	if (!syc_adding_begin(self, &a, fixed + n + 1,
	                      SYSPROF_CAPTURE_FRAME_LOG, time, cpu, pid))
		return false;
	struct syscap_wire_log *const log = (void *)a.frame;
	syc_store_word(a.frame + SYC_AT(log, severity), (uint16_t)severity);
	syc_text_put(log->domain, sizeof(log->domain), domain);
	copy_message(a.frame + fixed, message, n);
	return syc_adding_end(&a);
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

bool sysprof_capture_writer_add_overlay(SysprofCaptureWriter *self,
                                        int64_t time, int cpu, int32_t pid,
                                        uint32_t layer, const char *src,
                                        const char *dst)
{
	const size_t fixed = SYSCAP_OVERLAY_FIXED;
	const size_t n_src = src != NULL ? strlen(src) : 0;
	const size_t n_dst = dst != NULL ? strlen(dst) : 0;
	struct syc_adding a;

	/* Part of a path would be another one */
	if (layer > 255 || n_src > INT16_MAX || n_dst > INT16_MAX ||
	    fixed + n_src + n_dst + 2 > FRAME_MAX)
		return refuse(EINVAL);
	if (!syc_adding_begin(self, &a, fixed + n_src + 1 + n_dst + 1,
	                      SYSPROF_CAPTURE_FRAME_OVERLAY, time, cpu, pid))
		return false;
	struct syscap_wire_overlay *const overlay = (void *)a.frame;
	overlay->layer = (uint8_t)layer;
	memset(overlay->padding, 0, sizeof(overlay->padding));
	overlay->src_len = (uint16_t)n_src;
	overlay->dst_len = (uint16_t)n_dst;
	copy_message(a.frame + fixed, src, n_src);
	a.frame[fixed + n_src] = '\0';
	copy_message(a.frame + fixed + n_src + 1, dst, n_dst);
	return syc_adding_end(&a);
}

bool sysprof_capture_writer_add_dbus_message(SysprofCaptureWriter *self,
                                             int64_t time, int cpu, int32_t pid,
                                             uint16_t bus_type, uint16_t flags,
                                             const uint8_t *message_data,
                                             size_t message_len)
{
	const size_t fixed = SYSCAP_DBUS_FIXED;
	struct syc_adding a;

	if (message_data == NULL && message_len != 0)
		return refuse(EINVAL);
	if (message_len > 65492) {
		message_len = 0;
		flags |= SYSPROF_CAPTURE_DBUS_FLAGS_MESSAGE_TOO_LARGE;
	}
	if (!syc_adding_begin(self, &a, fixed + message_len,
	                      SYSPROF_CAPTURE_FRAME_DBUS_MESSAGE, time, cpu,
	                      pid))
		return false;
	struct syscap_wire_dbus_message *const message = (void *)a.frame;
	message->bus_type = (uint16_t)((bus_type & 3) | flags << 2);
	message->message_len = (uint16_t)message_len;
	copy_message(a.frame + fixed, (const char *)message_data, message_len);
	return syc_adding_end(&a);
}
