/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_beside.c - writes to a file beside another library's writer. */
#define _GNU_SOURCE
#include "session/trace_beside.h"

#include <errno.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "os/fd.h"
#include "session/trace_file.h"
#include "session/trace_stream.h"

bool syc_trace_beside_is(const struct syc_trace *trace, int reader)
{
	struct syscap_wire_file header;

	if (trace->shared < 0 || reader < 0 ||
	    lseek(trace->shared, 0, SEEK_CUR) <= 0)
		return false;
	memset(&header, 0, sizeof(header));
	return syc_fd_pread(reader, &header, sizeof(header), 0) >= 0 &&
	       !syc_trace_file_has_mark(&header);
}

/* The kernel serializes write() calls only for files that were opened by
 * name. */
static bool can_share(const struct syc_trace *trace)
{
	struct statfs fs;
	struct stat st;

	return fstat(trace->shared, &st) == 0 &&
	       (st.st_nlink != 0 ||
	        (fstatfs(trace->shared, &fs) == 0 && fs.f_type != TMPFS_MAGIC));
}

/* Move the position to the end, because another writer would overwrite bytes
 * after the position. */
static int go_to_end(const struct syc_trace *trace)
{
	struct stat st;

	if (fstat(trace->shared, &st) != 0)
		return -errno;
	if (st.st_size < (off_t)sizeof(struct syscap_wire_file))
		return -EAGAIN; /* the file was emptied; its header will
		                 * follow */
	if (lseek(trace->shared, 0, SEEK_CUR) < st.st_size &&
	    lseek(trace->shared, 0, SEEK_END) < 0)
		return -errno;
	return 0;
}

int syc_trace_beside_write(struct syc_trace *trace, struct syc_batch *batch)
{
	const int own = trace->fd;
	int r = can_share(trace) ? go_to_end(trace) : -EBUSY;

	if (r != 0)
		return r;
	if (trace->end > sizeof(struct syscap_wire_file))
		trace->n_emptied +=
			trace->end - sizeof(struct syscap_wire_file);
	trace->end = 0;
	trace->fits = 0;
	trace->has_header = true;
	trace->fd = trace->shared;
	r = syc_trace_stream_write(trace, batch);
	trace->fd = own;
	return r;
}

int syc_trace_beside_take_back(struct syc_trace *trace)
{
	const off_t at = lseek(trace->shared, 0, SEEK_CUR);
	struct stat st;

	if (at >= 0 && fstat(trace->fd, &st) == 0 && st.st_size > at &&
	    ftruncate(trace->fd, at) != 0)
		return -errno;
	return -EAGAIN;
}
