/* SPDX-License-Identifier: BSD-2-Clause */
/* writer_add.c - frames of a capture writer, except marks, logs, stacks, names
 * and counters. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <syscap/emit.h>

#include "base/frame.h"
#include "base/text.h"
#include "sysprof_compat/writer.h"

bool sysprof_capture_writer_add_file(SysprofCaptureWriter *self, int64_t time,
                                     int cpu, int32_t pid, const char *path,
                                     bool is_last, const uint8_t *data,
                                     size_t data_len)
{
	const size_t fixed = SYSCAP_FILE_CHUNK_FIXED;
	struct syc_adding a;

	if (path == NULL || data_len > SYSCAP_FRAME_MAX - fixed ||
	    (data == NULL && data_len != 0))
		return syc_adding_refuse(EINVAL);
	if (!syc_adding_begin(self, &a, fixed + data_len,
	                      SYSPROF_CAPTURE_FRAME_FILE_CHUNK, time, cpu, pid))
		return false;
	struct syscap_wire_file_chunk *const chunk = (void *)a.frame;
	chunk->is_last = is_last ? SYC_FRAME_FLAG : 0;
	chunk->len = (uint16_t)data_len;
	syc_text_field(chunk->path, sizeof(chunk->path), path);
	syc_frame_text_copy(a.frame + fixed, (const char *)data, data_len);
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

	/* The id needs a NUL, an "@" and another NUL.  Ids usually have
	 * fewer than 100 characters */
	if (n_id > 4096)
		return syc_adding_refuse(EINVAL);
	const size_t n = syc_frame_text_size(filename, fixed + n_id + 2);
	if (!syc_adding_begin(self, &a,
	                      fixed + n + 1 + (build_id != NULL ? n_id + 2 : 0),
	                      SYSPROF_CAPTURE_FRAME_MAP, time, cpu, pid))
		return false;
	struct syscap_wire_map *const map = (void *)a.frame;
	map->start = start;
	map->end = end;
	map->offset = offset;
	map->inode = inode;
	syc_frame_text_copy(a.frame + fixed, filename, n);
	if (build_id != NULL) {
		a.frame[fixed + n] = '\0';
		a.frame[fixed + n + 1] = '@';
		syc_frame_text_copy(a.frame + fixed + n + 2, build_id, n_id);
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
	if (n > SYSCAP_FRAME_MAX - fixed - 1)
		n = syc_text_cut(metadata, n, SYSCAP_FRAME_MAX - fixed - 1);
	if (!syc_adding_begin(self, &a, fixed + n + 1,
	                      SYSPROF_CAPTURE_FRAME_METADATA, time, cpu, pid))
		return false;
	struct syscap_wire_metadata *const to = (void *)a.frame;
	syc_text_put(to->id, sizeof(to->id), id);
	syc_frame_text_copy(a.frame + fixed, metadata, n);
	return syc_adding_end(&a);
}

bool sysprof_capture_writer_add_process(SysprofCaptureWriter *self,
                                        int64_t time, int cpu, int32_t pid,
                                        const char *cmdline)
{
	const size_t fixed = SYC_HEAD_SIZE;
	const size_t n = syc_frame_text_size(cmdline, fixed);
	struct syc_adding a;

	if (!syc_adding_begin(self, &a, fixed + n + 1,
	                      SYSPROF_CAPTURE_FRAME_PROCESS, time, cpu, pid))
		return false;
	syc_frame_text_copy(a.frame + fixed, cmdline, n);
	return syc_adding_end(&a);
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

bool sysprof_capture_writer_add_overlay(SysprofCaptureWriter *self,
                                        int64_t time, int cpu, int32_t pid,
                                        uint32_t layer, const char *src,
                                        const char *dst)
{
	const size_t fixed = SYSCAP_OVERLAY_FIXED;
	const size_t n_src = src != NULL ? strlen(src) : 0;
	const size_t n_dst = dst != NULL ? strlen(dst) : 0;
	struct syc_adding a;

	/* Refuse a long path, because a part of the path would be another
	 * path */
	if (layer > 255 || n_src > INT16_MAX || n_dst > INT16_MAX ||
	    fixed + n_src + n_dst + 2 > SYSCAP_FRAME_MAX)
		return syc_adding_refuse(EINVAL);
	if (!syc_adding_begin(self, &a, fixed + n_src + 1 + n_dst + 1,
	                      SYSPROF_CAPTURE_FRAME_OVERLAY, time, cpu, pid))
		return false;
	struct syscap_wire_overlay *const overlay = (void *)a.frame;
	overlay->layer = (uint8_t)layer;
	memset(overlay->padding, 0, sizeof(overlay->padding));
	overlay->src_len = (uint16_t)n_src;
	overlay->dst_len = (uint16_t)n_dst;
	syc_frame_text_copy(a.frame + fixed, src, n_src);
	a.frame[fixed + n_src] = '\0';
	syc_frame_text_copy(a.frame + fixed + n_src + 1, dst, n_dst);
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
		return syc_adding_refuse(EINVAL);
	if (message_len > 65492) {
		message_len = 0;
		flags |= SYSPROF_CAPTURE_DBUS_FLAGS_MESSAGE_TOO_LARGE;
	}
	if (!syc_adding_begin(self, &a, fixed + message_len,
	                      SYSPROF_CAPTURE_FRAME_DBUS_MESSAGE, time, cpu,
	                      pid))
		return false;
	struct syscap_wire_dbus_message *const message = (void *)a.frame;
	message->bus_type = (uint16_t)SYC_FRAME_BUS(bus_type & 3u, flags);
	message->message_len = (uint16_t)message_len;
	syc_frame_text_copy(a.frame + fixed, (const char *)message_data,
	                    message_len);
	return syc_adding_end(&a);
}
