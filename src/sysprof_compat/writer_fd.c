/* SPDX-License-Identifier: BSD-2-Clause */
/* writer_fd.c - the fd of a writer's capture. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "os/env.h"
#include "os/fd.h"
#include "os/signals.h"
#include "ring/clock.h"
#include "session/sink.h"
#include "sysprof_compat/writer.h"

#define PATIENCE_NS INT64_C(1000000000)

static bool wait_for_reader(int fd, int64_t deadline)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLOUT };
		const int64_t left = deadline - syc_clock_kernel();

		if (left <= 0)
			return false;
		const int r = poll(&p, 1, (int)(left / 1000000 + 1));
		if (r > 0)
			return true;
		if (r < 0 && errno != EINTR)
			return false;
	}
}

static int write_patiently(struct syc_out *out, const unsigned char *bytes,
                           size_t n, size_t *ret_done)
{
	const int64_t deadline =
		out->is_stuck ? 0 : syc_clock_kernel() + PATIENCE_NS;

	*ret_done = 0;
	while (*ret_done != n) {
		const ssize_t written =
			write(out->fd, bytes + *ret_done, n - *ret_done);

		if (written > 0) {
			*ret_done += (size_t)written;
			out->is_stuck = false;
			continue;
		}
		if (written < 0 && errno == EINTR)
			continue;
		if (written == 0)
			return -EIO;
		if (errno != EAGAIN)
			return -errno;
		if (!wait_for_reader(out->fd, deadline)) {
			out->is_stuck = true;
			return -EAGAIN;
		}
	}
	return 0;
}

/*
 * Open the file again without O_APPEND.  A write to an O_APPEND description
 * always appends, so the writer could not write the header again.
 */
static int open_without_append(int fd)
{
	char path[48];
	struct syc_text text = syc_text_begin(path, sizeof(path));

	syc_text_add(&text, "/proc/self/fd/");
	syc_text_add_i64(&text, fd);
	int other = syc_fd_open(path, O_RDWR | O_NOCTTY, 0);
	if (other < 0)
		other = syc_fd_open(path, O_WRONLY | O_NOCTTY, 0);
	return syc_fd_keep(other);
}

static void adopt_descriptor(struct syc_out *out, int fd)
{
	const int flags = fcntl(fd, F_GETFL);
	struct syc_undisturbed before;
	int64_t at = 0;
	struct stat st;

	out->fd = fd;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	out->is_file = true;
	if ((flags & O_APPEND) != 0) {
		const int other = open_without_append(fd);

		if (other >= 0) {
			close(fd);
			out->fd = other;
		} else {
			out->is_file = false; /* the first header stays
			                       * unchanged */
		}
	}
	/* The lock of this fd shows the file's writer to the commands */
	syc_undisturbed_begin(&before);
	(void)syc_record_fact_keep(out->fd, SYC_RECORD_TABLE, &at);
	syc_undisturbed_end(&before);
	if (ftruncate(out->fd, 0) != 0 || lseek(out->fd, 0, SEEK_SET) != 0)
		out->is_file = false;
}

int syc_out_open(struct syc_out *out, int fd)
{
	struct syscap_wire_file header;
	struct syc_write_nosignal quiet;
	size_t done;

	memset(out, 0, sizeof(*out));
	adopt_descriptor(out, fd);
	out->begin = syc_clock_kernel();
	syc_file_header_fill(&header, out->begin);
	syc_write_nosignal_begin(&quiet);
	const int r = write_patiently(out, (const unsigned char *)&header,
	                              sizeof(header), &done);
	syc_write_nosignal_end(&quiet);
	if (r != 0) {
		close(out->fd);
		out->fd = -1;
	}
	return r;
}

/* Open the trace of fd @number.  Signals are blocked. */
static int open_trace(struct syc_out *out, int number)
{
	struct syc_trace_target target;

	if (syc_trace_adopt(number, &target) != NULL)
		return -EINVAL;
	/* This function does not use malloc(), because only the writer's
	 * mapping points to this memory */
	void *const trace =
		mmap(NULL, sizeof(*out->trace), PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (trace == MAP_FAILED)
		return -errno;
	out->trace = trace;
	out->trace->fd = -1;
	const int r = syc_trace_open(out->trace, &target);
	if (r != 0) {
		munmap(trace, sizeof(*out->trace));
		out->trace = NULL;
	}
	return r;
}

int syc_out_open_shared(struct syc_out *out)
{
	const char *const value = syc_env_get(SYC_ENV_TRACE_FD);
	const int number = value != NULL ? syc_env_parse_fd(value) : -1;
	struct syc_undisturbed before;

	memset(out, 0, sizeof(*out));
	out->fd = -1;
	if (number < 0)
		return -ENOENT;
	if (fcntl(number, F_GETFL) < 0)
		return -errno;
	syc_undisturbed_begin(&before);
	const int r = open_trace(out, number);
	syc_undisturbed_end(&before);
	if (r != 0)
		return r;
	out->begin = syc_clock_kernel();
	out->is_file = false;
	out->fd = out->trace->fd;
	return 0;
}

int syc_out_write(struct syc_out *out, const unsigned char *bytes, size_t n,
                  size_t *ret_done)
{
	struct syc_undisturbed before;
	struct syc_write_nosignal quiet;
	int r;

	*ret_done = 0;
	syc_write_nosignal_begin(&quiet);
	if (out->trace == NULL) {
		r = write_patiently(out, bytes, n, ret_done);
		if (r == 0) {
			syc_write_nosignal_end_clean(&quiet);
			return 0;
		}
	} else {
		const int64_t now = syc_clock_kernel();
		struct syc_batch batch = {
			.frames = bytes,
			.size = n,
			.time = out->begin,
			.now = now > out->end ? now : out->end,
			.deadline = out->is_stuck ? now : now + PATIENCE_NS,
		};

		/* Other processes that share the file wait for the file's
		 * lock */
		syc_undisturbed_begin(&before);
		r = syc_trace_write(out->trace, &batch);
		syc_undisturbed_end(&before);
		*ret_done = r == 0 ? n : (size_t)batch.done;
		out->is_stuck = r == -EAGAIN;
	}
	syc_write_nosignal_end(&quiet);
	return r;
}

void syc_out_note_place(struct syc_out *out)
{
	if (out->is_file)
		out->place = lseek(out->fd, 0, SEEK_CUR);
}

bool syc_out_look_how_far(const struct syc_out *out, size_t *ret_n)
{
	if (!out->is_file)
		return false;
	const int64_t place = lseek(out->fd, 0, SEEK_CUR);
	*ret_n = (size_t)(place - out->place);
	return place >= out->place;
}

int syc_out_update(struct syc_out *out)
{
	const int64_t now = syc_clock_kernel();
	const int64_t times[2] = { out->begin,
		                   now > out->end ? now : out->end };

	if (!out->is_file)
		return 0;
	/* time and end_time are adjacent */
	for (;;) {
		const ssize_t n =
			pwrite(out->fd, times, sizeof(times),
		               offsetof(struct syscap_wire_file, time));

		if (n == (ssize_t)sizeof(times))
			return 0;
		if (n >= 0)
			return -EIO;
		if (errno != EINTR)
			return -errno;
	}
}

void syc_out_tell_index(const struct syc_out *out, uint64_t index,
                        uint64_t place)
{
	/* Readers do not need the index, so a failure is not reported */
	if (lseek(out->fd, 0, SEEK_CUR) == (off_t)place &&
	    pwrite(out->fd, &index, sizeof(index),
	           offsetof(struct syscap_wire_file, last_frame_index)) < 0)
		return;
}

void syc_out_close(struct syc_out *out, size_t n_torn)
{
	struct syc_undisturbed before;

	if (out->trace != NULL) {
		syc_undisturbed_begin(&before);
		syc_trace_close(out->trace);
		syc_undisturbed_end(&before);
		munmap(out->trace, sizeof(*out->trace));
	} else if (out->fd >= 0) {
		if (n_torn != 0 && out->is_file) {
			const off_t at = lseek(out->fd, 0, SEEK_CUR);

			if (at > (off_t)n_torn &&
			    ftruncate(out->fd, at - (off_t)n_torn) != 0)
				n_torn = 0; /* readers ignore a torn frame */
		}
		close(out->fd);
	}
	out->trace = NULL;
	out->fd = -1;
}
