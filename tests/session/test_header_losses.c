/* SPDX-License-Identifier: BSD-2-Clause */
/* test_header_losses.c - losses kept in a trace file's header. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap/format.h>

#include "harness/test.h"
#include "session/ring_losses.c"
#include "session/trace_frames.h"

#define MARKS SYSCAP_FRAME_MARK

static struct frames_writer writer;
static struct frames_seen seen;

/* A file begun by a writer of this library. */
static int make_trace(void)
{
	const int fd = memfd_create("trace", MFD_CLOEXEC);

	memset(&writer, 0, sizeof(writer));
	frames_open(&writer, 1, fd);
	CHECK_EQ(frames_write(&writer, 3, 1000), 0);
	return fd;
}

static void end_trace(int fd)
{
	syc_trace_close(&writer.trace);
	close(fd);
}

static struct syc_ring_losses make_losses(uint64_t marks, int64_t from,
                                          int64_t to)
{
	struct syc_ring_losses lost = { .bytes = 100 * marks,
		                        .from = from,
		                        .to = to };

	lost.frames[MARKS] = marks;
	return lost;
}

TEST(stored_losses_are_taken_once)
{
	const struct syc_ring_losses first = make_losses(7, 2000, 3000);
	const struct syc_ring_losses second = make_losses(2, 1000, 1500);
	struct syc_ring_losses lost;
	const int fd = make_trace();

	CHECK(!take_from_header(fd, &lost));
	CHECK_EQ(store_in_header(fd, &first), 0);
	CHECK_EQ(store_in_header(fd, &second), 0);
	CHECK(take_from_header(fd, &lost));
	CHECK_EQ(lost.frames[MARKS], 9);
	CHECK_EQ(lost.bytes, 900);
	CHECK_EQ(lost.from, 1000);
	CHECK_EQ(lost.to, 3000);
	CHECK(!take_from_header(fd, &lost));
	end_trace(fd);
}

TEST(frames_and_their_writers_do_not_mind)
{
	const struct syc_ring_losses some = make_losses(7, 2000, 3000);
	const int fd = make_trace();

	CHECK_EQ(store_in_header(fd, &some), 0);
	CHECK_EQ(frames_write(&writer, 3, 1000), 0);
	frames_look_whole(fd, &seen);
	CHECK_EQ(seen.total, 6);
	end_trace(fd);
}

TEST(a_later_writer_finds_stored_losses)
{
	const struct syc_ring_losses some = make_losses(7, 2000, 3000);
	static struct frames_writer other;
	const int fd = make_trace();

	CHECK_EQ(store_in_header(fd, &some), 0);
	memset(&other, 0, sizeof(other));
	frames_open(&other, 2, fd);
	CHECK(!other.trace.has_untold);
	CHECK_EQ(frames_write(&other, 1, 1000), 0);
	CHECK(other.trace.has_untold);
	syc_trace_close(&other.trace);
	end_trace(fd);
}

#define LEAVERS 8
#define TIMES   2000u

TEST(many_leave_and_take_at_once_and_nothing_is_lost)
{
	const struct syc_ring_losses one = make_losses(1, 2000, 3000);
	struct syc_ring_losses lost;
	const int fd = make_trace();
	uint64_t n = 0;
	int status, left = LEAVERS;

	for (int i = 0; i < LEAVERS; i++) {
		if (fork() != 0)
			continue;
		for (unsigned k = 0; k < TIMES; k++)
			if (store_in_header(fd, &one) != 0)
				_exit(1);
		_exit(0);
	}
	while (left > 0) {
		if (take_from_header(fd, &lost))
			n += lost.frames[MARKS];
		if (waitpid(-1, &status, WNOHANG) > 0) {
			CHECK_EQ(status, 0);
			left--;
		}
	}
	if (take_from_header(fd, &lost))
		n += lost.frames[MARKS];
	CHECK_EQ(n, LEAVERS * TIMES);
	end_trace(fd);
}

static void check_left_alone(int fd)
{
	const struct syc_ring_losses some = make_losses(7, 2000, 3000);
	struct syscap_wire_file before, after;
	struct syc_ring_losses lost;

	CHECK(pread(fd, &before, sizeof(before), 0) >= 0);
	CHECK_EQ(store_in_header(fd, &some), -ENOTSUP);
	CHECK(!take_from_header(fd, &lost));
	CHECK(pread(fd, &after, sizeof(after), 0) >= 0);
	CHECK_EQ(memcmp(&before, &after, sizeof(before)), 0);
}

TEST(a_foreign_header_is_not_changed)
{
	static const char bytes[8] = "another";
	int fd = memfd_create("empty", MFD_CLOEXEC);

	CHECK_EQ(store_in_header(fd, &(struct syc_ring_losses){ 0 }), -ENOTSUP);
	close(fd);

	fd = make_trace(); /* the file lacks the library's mark */
	CHECK_EQ(pwrite(fd, bytes, sizeof(bytes), 240), sizeof(bytes));
	check_left_alone(fd);
	end_trace(fd);

	fd = make_trace(); /* the bytes occupy the offset of the loss record */
	CHECK_EQ(pwrite(fd, bytes, sizeof(bytes), 96), sizeof(bytes));
	check_left_alone(fd);
	end_trace(fd);
}

TEST(a_file_that_can_not_be_written_is_an_error)
{
	const struct syc_ring_losses some = make_losses(7, 2000, 3000);
	char path[64];
	const int fd = make_trace();

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const int reader = open(path, O_RDONLY | O_CLOEXEC);
	CHECK_EQ(store_in_header(reader, &some), -ENOTSUP);
	close(reader);
	end_trace(fd);
}
