/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysprof-capture-writer.h - write a capture.
 *
 *	SysprofCaptureWriter *writer = sysprof_capture_writer_new("a.syscap", 0);
 *
 *	sysprof_capture_writer_add_mark(writer, SYSPROF_CAPTURE_CURRENT_TIME,
 *					-1, getpid(), 0, "app", "begins", NULL);
 *	sysprof_capture_writer_unref(writer);
 *
 * Frames are gathered in a buffer and written when it is full, once a second,
 * by flush and unref, and at exit(): always whole ones.  Only where the disk
 * is full a frame may be cut in two for a while; the rest of it goes first as
 * soon as there is room, and unref cuts it off where there never is.
 *
 * Common to the functions that add a frame: @time is in nanoseconds of
 * CLOCK_MONOTONIC, @cpu may be -1.  All is copied; NULL texts read as "";
 * texts that are too long are cut between UTF-8 characters.  True: the frame
 * is in the buffer, or further.  False: it is not, nor any part of it, and
 * errno says why: what write() said (EPIPE, ENOSPC, EAGAIN after a second of
 * waiting), EINVAL, or ENOBUFS, see below.
 *
 * Contexts
 *	Callers take turns: one thread at a time per writer.  Any of them may
 *	be interrupted, half-way, by a signal handler on its thread that calls
 *	add, set, define, request_counter, add_jitmap or flush functions on the
 *	same writer, or exit(): these allocate nothing by malloc(), and take no
 *	lock.  Frames that a handler adds while it interrupts one of these
 *	functions wait in the buffer until that returns; there is room for
 *	64 KiB of them, then they are refused with ENOBUFS.  A handler must
 *	come back: siglongjmp() out of it leaves the writer unusable if it
 *	had interrupted one.
 *	A forked child may go on with an inherited writer: it has none of the
 *	frames that the parent's buffer held, and appends to the same file.
 *	After unref in the parent the child's end of the file is what the file
 *	has.
 */
#ifndef SYSPROF_CAPTURE_WRITER_H
#define SYSPROF_CAPTURE_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sysprof-capture-types.h"
#include "sysprof-version-macros.h"

SYSPROF_BEGIN_DECLS

/**
 * A writer to the descriptor that SYSPROF_TRACE_FD names, which is duplicated.
 * What is there already stays: frames are appended, whole, beside those of
 * other processes and libraries that write there.  NULL and errno: it is not
 * open for writing, or neither empty nor a capture (EBADF, EINVAL, ...).
 * NULL, and errno stays as it was: the variable is not set, or is no number
 * above 2.
 */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureWriter *sysprof_capture_writer_new_from_env(size_t buffer_size);

/**
 * Create or replace @filename.  @buffer_size, in bytes, is made a number of
 * whole pages; 0: 64 pages.  NULL and errno.
 */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureWriter *sysprof_capture_writer_new(const char *filename,
                                                 size_t buffer_size);

/**
 * The same on a descriptor (file, memfd, pipe, socket), which the writer owns
 * from here on, and closes also where NULL is returned.  A file is emptied.
 */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureWriter *sysprof_capture_writer_new_from_fd(int fd,
                                                         size_t buffer_size);

/** Bytes. */
SYSPROF_AVAILABLE_IN_ALL
size_t sysprof_capture_writer_get_buffer_size(SysprofCaptureWriter *self);

SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureWriter *sysprof_capture_writer_ref(SysprofCaptureWriter *self);

/** Drops a reference; the last one writes what is there, closes and frees. */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_writer_unref(SysprofCaptureWriter *self);

/** How many frames of each type were added.  16 and 17 are in padding. */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_writer_stat(SysprofCaptureWriter *self,
                                 SysprofCaptureStat *stat);

/** Part of an embedded file: at most 65,244 bytes; @path at most 255. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_file(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid, const char *path,
                                     bool is_last, const uint8_t *data,
                                     size_t data_len);

/**
 * All that read() gives from @fd, as parts of @path.  False: reading failed
 * (then the file has no end) or writing.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_file_fd(SysprofCaptureWriter *self,
                                        int64_t time, int cpu, int32_t pid,
                                        const char *path, int fd);

/** Memory that is mapped.  @build_id: hex text, or NULL. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_map(SysprofCaptureWriter *self, int64_t time,
                                    int cpu, int32_t pid, uint64_t start,
                                    uint64_t end, uint64_t offset,
                                    uint64_t inode, const char *filename);
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_map_with_build_id(
	SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
	uint64_t start, uint64_t end, uint64_t offset, uint64_t inode,
	const char *filename, const char *build_id);

/** @name took @duration ns from @time on. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_mark(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid, uint64_t duration,
                                     const char *group, const char *name,
                                     const char *message);

/** A fact.  @metadata_len: bytes, or -1: up to its NUL. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_metadata(SysprofCaptureWriter *self,
                                         int64_t time, int cpu, int32_t pid,
                                         const char *id, const char *metadata,
                                         ssize_t metadata_len);

/**
 * The address that stands for @name in stacks of this capture: the same for
 * the same name, as long as the writer lives.  It waits until the buffer is
 * written, and goes in front of it: all names that wait in one frame, before
 * their users.  Names above 16,383 bytes are cut.  0 and errno: no memory or no
 * room.
 */
SYSPROF_AVAILABLE_IN_ALL
uint64_t sysprof_capture_writer_add_jitmap(SysprofCaptureWriter *self,
                                           const char *name);

SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_process(SysprofCaptureWriter *self,
                                        int64_t time, int cpu, int32_t pid,
                                        const char *cmdline);

/**
 * Where thread @tid is.  Of more than 8,187 addresses the innermost are kept,
 * and a bit (SYSCAP_STACK_CUT of <syscap/format.h>) says so.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_sample(SysprofCaptureWriter *self, int64_t time,
                                       int cpu, int32_t pid, int32_t tid,
                                       const SysprofCaptureAddress *addrs,
                                       unsigned int n_addrs);

/**
 * The same where a function is entered or left: a sample too, for readers that
 * know no SYSPROF_CAPTURE_FRAME_TRACE end there, with the bit of
 * SysprofCaptureTrace that says entering.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_trace(SysprofCaptureWriter *self, int64_t time,
                                      int cpu, int32_t pid, int32_t tid,
                                      const SysprofCaptureAddress *addrs,
                                      unsigned int n_addrs, bool entering);

SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_fork(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid, int32_t child_pid);

SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_exit(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid);

SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_timestamp(SysprofCaptureWriter *self,
                                          int64_t time, int cpu, int32_t pid);

/**
 * Say what counters are.  Ids come from request_counter; 0 and those above
 * 24 bits are refused (EINVAL).
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_define_counters(
	SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
	const SysprofCaptureCounter *counters, unsigned int n_counters);

/** Values of counters.  An id that is 0 is left out. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_set_counters(
	SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
	const unsigned int *counters_ids,
	const SysprofCaptureCounterValue *values, unsigned int n_counters);

/** @severity: GLogLevelFlags, of which 16 bits are kept. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_log(SysprofCaptureWriter *self, int64_t time,
                                    int cpu, int32_t pid, int severity,
                                    const char *domain, const char *message);

/**
 * @alloc_size bytes were allocated, or with 0 freed.  @backtrace_func (NULL:
 * no stack) is called once, before anything is touched, with room for 512
 * addresses; of a copied stack 8,185 are kept.
 */
SYSPROF_AVAILABLE_IN_3_36
bool sysprof_capture_writer_add_allocation(
	SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
	int32_t tid, SysprofCaptureAddress alloc_addr, int64_t alloc_size,
	SysprofBacktraceFunc backtrace_func, void *backtrace_data);
SYSPROF_AVAILABLE_IN_3_36
bool sysprof_capture_writer_add_allocation_copy(
	SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
	int32_t tid, SysprofCaptureAddress alloc_addr, int64_t alloc_size,
	const SysprofCaptureAddress *addrs, unsigned int n_addrs);

/** The process sees directory @src of the host as @dst. */
SYSPROF_AVAILABLE_IN_3_40
bool sysprof_capture_writer_add_overlay(SysprofCaptureWriter *self,
                                        int64_t time, int cpu, int32_t pid,
                                        uint32_t layer, const char *src,
                                        const char *dst);

/** A message above 65,492 bytes is left out, and a flag says so. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_dbus_message(SysprofCaptureWriter *self,
                                             int64_t time, int cpu, int32_t pid,
                                             uint16_t bus_type, uint16_t flags,
                                             const uint8_t *message_data,
                                             size_t message_len);

/**
 * Write what is in the buffer.  False and errno: not all of it; the rest
 * stays there.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_flush(SysprofCaptureWriter *self);

/** Flush, and copy the file so far to @filename, which is replaced. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_save_as(SysprofCaptureWriter *self,
                                    const char *filename);

/** @n_counters ids in a row, the first of them; 0: there are no more. */
SYSPROF_AVAILABLE_IN_ALL
unsigned int sysprof_capture_writer_request_counter(SysprofCaptureWriter *self,
                                                    unsigned int n_counters);

/** Flush, and read the same file, with the counts of frames so far. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureReader *
sysprof_capture_writer_create_reader(SysprofCaptureWriter *self);

/** sysprof_capture_reader_splice() of what @self has written so far. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_splice(SysprofCaptureWriter *self,
                                   SysprofCaptureWriter *dest);

/**
 * Join all that @reader's file holds into this capture: counters get ids of
 * this writer, JIT addresses those of the same names here, in samples and in
 * allocations.  Frames of types that are not known are copied as they are.
 * The header's times afterwards cover both.
 *
 * False and errno: writing failed; or EBADMSG: the file is damaged, and what
 * could be read of it was joined.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_cat(SysprofCaptureWriter *self,
                                SysprofCaptureReader *reader);

/** The same where group and name are literals; @len: of @message. */
SYSPROF_AVAILABLE_IN_ALL
bool syscap_dropin_writer_add_mark_at(SysprofCaptureWriter *self, int64_t time,
                                      int cpu, int32_t pid, uint64_t duration,
                                      const struct syscap_dropin_site *site,
                                      const char *message, size_t len);

/** The same where the domain is a literal; @len: of @message. */
SYSPROF_AVAILABLE_IN_ALL
bool syscap_dropin_writer_add_log_at(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid, int severity,
                                     const struct syscap_dropin_domain *domain,
                                     const char *message, size_t len);

/* Which GNU compilers see.  The functions are in the library too. */
#if defined(__GNUC__) && !defined(SYSPROF_DROPIN_NO_INLINE)
bool sysprof_real_add_mark_(
	SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
	uint64_t duration, const char *group, const char *name,
	const char *message) __asm__("sysprof_capture_writer_add_mark");

extern __inline__
	__attribute__((__gnu_inline__, __always_inline__, __artificial__)) bool
	sysprof_capture_writer_add_mark(SysprofCaptureWriter *self,
                                        int64_t time, int cpu, int32_t pid,
                                        uint64_t duration, const char *group,
                                        const char *name, const char *message)
{
	struct syscap_dropin_site site;

	if (syscap_dropin_site_fill(&site, group, name))
		return syscap_dropin_writer_add_mark_at(
			self, time, cpu, pid, duration, &site, message,
			message != 0 ? __builtin_strlen(message) : 0);
	return sysprof_real_add_mark_(self, time, cpu, pid, duration, group,
	                              name, message);
}

bool sysprof_real_add_log_(
	SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
	int severity, const char *domain,
	const char *message) __asm__("sysprof_capture_writer_add_log");

extern __inline__
	__attribute__((__gnu_inline__, __always_inline__, __artificial__)) bool
	sysprof_capture_writer_add_log(SysprofCaptureWriter *self, int64_t time,
                                       int cpu, int32_t pid, int severity,
                                       const char *domain, const char *message)
{
	struct syscap_dropin_domain known;

	if (syscap_dropin_domain_fill(&known, domain))
		return syscap_dropin_writer_add_log_at(
			self, time, cpu, pid, severity, &known, message,
			message != 0 ? __builtin_strlen(message) : 0);
	return sysprof_real_add_log_(self, time, cpu, pid, severity, domain,
	                             message);
}
#endif

SYSPROF_END_DECLS

#endif
