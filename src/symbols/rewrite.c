/* SPDX-License-Identifier: BSD-2-Clause */
/* rewrite.c - write a capture anew, with a table of symbols in it. */
#define _GNU_SOURCE
#include "symbols/rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/header_losses.h"
#include "capture/embedded.h"
#include "capture/error.h"
#include "capture/in_use.h"
#include "capture/join_symbols.h"
#include "capture/line_table.h"
#include "data/load.h"

static int fail(struct syscap_error *error, int code)
{
	return syc_error_set(error, code, 0, "%s", strerror(code));
}

int syc_rewrite_begin(const struct syc_rewrite *rewrite, char *temporary,
                      size_t size, struct syscap_error *error)
{
	const char *target = rewrite->target;
	const char *slash = strrchr(target, '/');
	const int folder = slash ? (int)(slash + 1 - target) : 0;
	int fd;

	if (snprintf(temporary, size, "%.*s.%s.XXXXXX", folder, target,
	             target + folder) >= (int)size)
		return fail(error, ENAMETOOLONG);
	fd = mkostemp(temporary, O_CLOEXEC);
	return fd < 0 ? fail(error, errno) : fd;
}

static bool is_old_table(const struct syc_rewrite *rewrite,
                         const struct syscap_frame *frame)
{
	if (frame->type != SYSCAP_FRAME_FILE_CHUNK)
		return false;
	return (rewrite->table != NULL &&
	        strcmp(frame->file_chunk.path, SYC_JOIN_SYMBOLS_PATH) == 0) ||
	       (rewrite->lines != NULL &&
	        strcmp(frame->file_chunk.path, SYC_LINE_TABLE_PATH) == 0);
}

/* -EAGAIN: the source was changed meanwhile. */
static int copy_frames(const struct syc_rewrite *rewrite,
                       struct syc_writer *writer)
{
	unsigned char buffer[SYSCAP_FRAME_MAX];
	const struct syc_symbol_patch *patches = NULL;
	struct syscap_frame frame;
	size_t n = 0, next = 0;
	int r;

	if (rewrite->table != NULL)
		patches = syc_symbol_table_patches(rewrite->table, &n);
	syscap_reader_rewind(rewrite->reader);
	while ((r = syscap_reader_next(rewrite->reader, &frame, NULL)) != 0) {
		uint64_t end;

		if (r == -EBADMSG)
			return -EAGAIN;
		if (r > 0 && is_old_table(rewrite, &frame))
			continue;
		end = frame.offset + frame.len;
		if (next == n || patches[next].offset >= end) {
			syc_writer_add(writer, frame.bytes);
			continue;
		}
		memcpy(buffer, frame.bytes, frame.len);
		for (; next < n && patches[next].offset < end; next++)
			syc_store_u64(buffer + patches[next].offset -
			                      frame.offset,
			              patches[next].address);
		syc_writer_add(writer, buffer);
	}
	return 0;
}

static int write_frames(const struct syc_rewrite *rewrite,
                        const char *temporary, struct syscap_error *error)
{
	struct syscap_file_info info;
	struct syc_writer *writer;
	int r = syc_writer_open(temporary, true, &writer, error);

	if (r < 0)
		return r;
	syscap_reader_info(rewrite->reader, &info);
	r = syc_writer_begin_as(writer, info.begin, "", error);
	if (r == 0) {
		r = copy_frames(rewrite, writer);
		if (r == -EAGAIN)
			syc_error_set(error, EAGAIN, 0,
			              "what it is made of was changed "
			              "meanwhile");
		if (r == 0 && rewrite->lines != NULL)
			syc_embedded_write(writer, SYC_LINE_TABLE_PATH,
			                   rewrite->lines, rewrite->lines_size,
			                   rewrite->end);
		if (r == 0 && rewrite->table != NULL)
			syc_symbol_table_write(rewrite->table, writer,
			                       rewrite->end);
		if (r == 0) {
			r = syc_writer_finish(writer, info.end);
			if (r < 0)
				fail(error, -r);
		}
	}
	syc_writer_close(writer);
	return r;
}

/* Without its losses: the reader made a record of them, which has been copied. */
static bool copy_header(int from, int to)
{
	const ssize_t size = sizeof(struct syscap_wire_file);
	struct syscap_wire_file header;

	if (pread(from, &header, sizeof(header), 0) != size)
		return false;
	if (syc_header_losses_has_frames(&header))
		memset((char *)&header + SYC_HEADER_LOSSES_AT, 0,
		       sizeof(struct syc_header_losses));
	return pwrite(to, &header, sizeof(header), 0) == size;
}

/* The header is the old one, but for its losses; so are owner and mode. */
static int finish_file(const struct syc_rewrite *rewrite, int fd,
                       struct syscap_error *error)
{
	const int source = open(rewrite->source, O_RDONLY | O_CLOEXEC);
	struct stat st;
	int r = 0;

	if (source < 0 || fstat(source, &st) != 0 || !copy_header(source, fd) ||
	    fsync(fd) != 0)
		r = fail(error, errno != 0 ? errno : EIO);
	/* Where that is not allowed the new file is whose we are. */
	if (r == 0 && st.st_uid != geteuid() &&
	    fchown(fd, st.st_uid, st.st_gid) != 0 && errno != EPERM)
		r = fail(error, errno);
	if (r == 0 && fchmod(fd, st.st_mode & 0777) != 0)
		r = fail(error, errno);
	if (source >= 0)
		close(source);
	return r;
}

/*
 * Making the names took a while: somebody may have begun to write to what is
 * replaced, or have written and gone.
 */
static int check_target(const struct syc_rewrite *rewrite,
                        struct syscap_error *error)
{
	const struct stat *const before = &rewrite->before;
	struct stat st;
	const int r = syc_in_use_check(rewrite->target, error);

	if (r != 0 || stat(rewrite->target, &st) != 0 ||
	    st.st_dev != before->st_dev || st.st_ino != before->st_ino)
		return r;
	if (st.st_size == before->st_size &&
	    st.st_mtim.tv_sec == before->st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec == before->st_mtim.tv_nsec)
		return 0;
	return syc_error_set(error, EAGAIN, 0,
	                     "it was written to meanwhile, and is left as it "
	                     "is");
}

int syc_rewrite_finish(const struct syc_rewrite *rewrite, int fd,
                       const char *temporary, struct syscap_error *error)
{
	int r = write_frames(rewrite, temporary, error);

	if (r == 0)
		r = finish_file(rewrite, fd, error);
	if (r == 0)
		r = check_target(rewrite, error);
	if (r == 0 && rename(temporary, rewrite->target) != 0)
		r = fail(error, errno);
	if (r < 0)
		unlink(temporary);
	close(fd);
	return r;
}
