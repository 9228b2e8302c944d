/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysprof-capture-writer.h - writer of captures.
 *
 *	SysprofCaptureWriter *writer = sysprof_capture_writer_new("a.syscap", 0);
 *
 *	sysprof_capture_writer_add_mark(writer, SYSPROF_CAPTURE_CURRENT_TIME,
 *					-1, getpid(), 0, "app", "begins", NULL);
 *	sysprof_capture_writer_unref(writer);
 *
 * The writer collects frames in a buffer, and writes the buffer when it is
 * full, once a second, by flush and unref, and at exit().  The writer writes
 * whole frames, except while the disk is full.  When the disk has space again,
 * the writer first completes a split frame.  If the disk stays full, unref
 * removes the written part of the frame.
 *
 * In the functions that add a frame, @time is in nanoseconds of
 * CLOCK_MONOTONIC, and @cpu may be -1.  The functions copy all data.  A NULL
 * text means "".  The functions cut long texts between UTF-8 characters.  The
 * functions return true if the frame is in the buffer or written.  Otherwise
 * the functions write no part of the frame, return false and set errno.  errno
 * is that of write() (EPIPE, ENOSPC, EAGAIN after a second of waiting), EINVAL,
 * or ENOBUFS (see Contexts).
 *
 * Contexts
 *	One thread at a time may use a writer.  A signal handler on that thread
 *	may interrupt a call.  The handler may call exit(), and these functions
 *	on the same writer: add, set, define, request_counter, add_jitmap and
 *	flush.  These functions do not call malloc() and take no lock.  Frames
 *	of the handler wait in the buffer until the interrupted call returns.
 *	Beyond 64 KiB of such frames, the functions fail with ENOBUFS.  The
 *	handler must return, since siglongjmp() out of the handler leaves the
 *	writer unusable.  A forked child may continue with an inherited writer.
 *	The child's copy has none of the frames in the parent's buffer, and
 *	appends to the same file.  After unref in the parent, the child's frames
 *	end the file.
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

 * Create a writer to a duplicate of the fd in SYSPROF_TRACE_FD.  The writer
 * appends whole frames, between frames of other processes and libraries.
 *
 * Returns NULL and sets errno if the fd is not open for writing, or the file is
 * neither empty nor a capture (EBADF, EINVAL, ...).  Returns NULL without errno
 * if the variable is unset or is not a number above 2.
 */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureWriter *sysprof_capture_writer_new_from_env(size_t buffer_size);

/**
 * Create or replace @filename.  @buffer_size, in bytes, is rounded to whole
 * pages; 0: 64 pages.  On failure, returns NULL and sets errno.
 */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureWriter *sysprof_capture_writer_new(const char *filename,
                                                 size_t buffer_size);

/**
 * Make a writer on an fd (file, memfd, pipe, socket).  The call takes over the
 * fd, closes it even on failure, and truncates a file.
 */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureWriter *sysprof_capture_writer_new_from_fd(int fd,
                                                         size_t buffer_size);

/** Get the size of the buffer in bytes. */
SYSPROF_AVAILABLE_IN_ALL
size_t sysprof_capture_writer_get_buffer_size(SysprofCaptureWriter *self);

/** Add a reference. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureWriter *sysprof_capture_writer_ref(SysprofCaptureWriter *self);

/** Drop a reference.  The last drop writes the buffer, closes the fd and frees
 * the writer. */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_writer_unref(SysprofCaptureWriter *self);

/** Get the number of added frames by type.  Types 16 and 17 are in padding. */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_writer_stat(SysprofCaptureWriter *self,
                                 SysprofCaptureStat *stat);

/** Add a part of an embedded file: at most 65,244 bytes; @path: at most 255. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_file(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid, const char *path,
                                     bool is_last, const uint8_t *data,
                                     size_t data_len);

/**
 * Add the content of @fd as parts of @path.  Returns false if writing or
 * reading failed.  If reading failed, the embedded file has no end.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_file_fd(SysprofCaptureWriter *self,
                                        int64_t time, int cpu, int32_t pid,
                                        const char *path, int fd);

/** Add a mapping.  @build_id: hex text, or NULL. */
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

/** Add a mark of @duration ns from @time on. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_mark(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid, uint64_t duration,
                                     const char *group, const char *name,
                                     const char *message);

/** Add a fact about the run.  @metadata_len: bytes, or -1: up to its NUL. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_metadata(SysprofCaptureWriter *self,
                                         int64_t time, int cpu, int32_t pid,
                                         const char *id, const char *metadata,
                                         ssize_t metadata_len);

/**

 * Get an address that represents @name in stacks of this capture.  Equal names
 * have equal addresses as long as the writer exists.  The file has each name
 * before its uses.  The call cuts names above 16,383 bytes.  Returns 0 and sets
 * errno if there is no memory or no room.
 */
SYSPROF_AVAILABLE_IN_ALL
uint64_t sysprof_capture_writer_add_jitmap(SysprofCaptureWriter *self,
                                           const char *name);

/** Add a process with its command line. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_process(SysprofCaptureWriter *self,
                                        int64_t time, int cpu, int32_t pid,
                                        const char *cmdline);

/**
 * Add a stack of thread @tid.  If there are more than 8,187 addresses, the
 * frame has the innermost addresses, and the flag SYSCAP_STACK_CUT of
 * <syscap/format.h>.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_sample(SysprofCaptureWriter *self, int64_t time,
                                       int cpu, int32_t pid, int32_t tid,
                                       const SysprofCaptureAddress *addrs,
                                       unsigned int n_addrs);

/**
 * Add a stack of a function that is entered or left.  The frame is a sample
 * with the bit for entering of SysprofCaptureTrace, since older readers end at
 * a SYSPROF_CAPTURE_FRAME_TRACE.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_trace(SysprofCaptureWriter *self, int64_t time,
                                      int cpu, int32_t pid, int32_t tid,
                                      const SysprofCaptureAddress *addrs,
                                      unsigned int n_addrs, bool entering);

/** Add the fork of a child. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_fork(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid, int32_t child_pid);

/** Add the end of a process. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_exit(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid);

/** Add a frame that has only a time. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_timestamp(SysprofCaptureWriter *self,
                                          int64_t time, int cpu, int32_t pid);

/**
 * Define counters with ids from request_counter.  The id 0 and ids above 24
 * bits fail with EINVAL.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_define_counters(
	SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
	const SysprofCaptureCounter *counters, unsigned int n_counters);

/** Add values of counters.  An id of 0 is omitted. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_set_counters(
	SysprofCaptureWriter *self, int64_t time, int cpu, int32_t pid,
	const unsigned int *counters_ids,
	const SysprofCaptureCounterValue *values, unsigned int n_counters);

/** Add a log line.  @severity: GLogLevelFlags, of which 16 bits are kept. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_log(SysprofCaptureWriter *self, int64_t time,
                                    int cpu, int32_t pid, int severity,
                                    const char *domain, const char *message);

/**
 * Add an allocation of @alloc_size bytes (0: a free).  The call first calls
 * @backtrace_func (NULL: no stack) once, with room for 512 addresses.  The
 * frame has at most 8,185 addresses of a given stack.
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

/** Add an overlay: the process sees directory @src of the host as @dst. */
SYSPROF_AVAILABLE_IN_3_40
bool sysprof_capture_writer_add_overlay(SysprofCaptureWriter *self,
                                        int64_t time, int cpu, int32_t pid,
                                        uint32_t layer, const char *src,
                                        const char *dst);

/** Add a D-Bus message.  The call omits and flags messages above 65,492
 * bytes. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_add_dbus_message(SysprofCaptureWriter *self,
                                             int64_t time, int cpu, int32_t pid,
                                             uint16_t bus_type, uint16_t flags,
                                             const uint8_t *message_data,
                                             size_t message_len);

/**
 * Write the buffer.  If a part could not be written, keeps that part in the
 * buffer, returns false and sets errno.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_flush(SysprofCaptureWriter *self);

/** Flush, and copy the file so far to @filename, replacing it. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_save_as(SysprofCaptureWriter *self,
                                    const char *filename);

/** Reserve @n_counters successive ids.  Returns the first; 0: no more ids. */
SYSPROF_AVAILABLE_IN_ALL
unsigned int sysprof_capture_writer_request_counter(SysprofCaptureWriter *self,
                                                    unsigned int n_counters);

/** Flush, and create a reader of the file, with the frame counts so far. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureReader *
sysprof_capture_writer_create_reader(SysprofCaptureWriter *self);

/** Append all data written so far to @dest, as
 * sysprof_capture_reader_splice() does. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_splice(SysprofCaptureWriter *self,
                                   SysprofCaptureWriter *dest);

/**
 * Join the content of @reader's file into this capture.  Counters get ids of
 * this writer.  JIT addresses in samples and allocations become the addresses
 * of the same names in this capture.  The call copies frames of unknown types
 * unchanged.  Afterwards, the header's times cover both captures.
 *
 * On failure, returns false and sets errno.  EBADMSG: the file is damaged, and
 * its readable part was joined.  Other errors: writing failed.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_writer_cat(SysprofCaptureWriter *self,
                                SysprofCaptureReader *reader);

/** Add a mark whose group and name are literals.  @len: length of @message. */
SYSPROF_AVAILABLE_IN_ALL
bool syscap_dropin_writer_add_mark_at(SysprofCaptureWriter *self, int64_t time,
                                      int cpu, int32_t pid, uint64_t duration,
                                      const struct syscap_dropin_site *site,
                                      const char *message, size_t len);

/** Add a log line whose domain is a literal.  @len: length of @message. */
SYSPROF_AVAILABLE_IN_ALL
bool syscap_dropin_writer_add_log_at(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid, int severity,
                                     const struct syscap_dropin_domain *domain,
                                     const char *message, size_t len);

/* Inline forms for GNU compilers.  The library also has these functions. */
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
