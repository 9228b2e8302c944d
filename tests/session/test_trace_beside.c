/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_trace_beside.c - a second writer at an fd's position, like
 * writers of another library. The second writer truncates the file, regardless
 * of its content.  The writer then writes a header, and complete frames, some
 * at a time. (tests/dropin/beside.sh uses that library itself.)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <syscap/format.h>

#include "harness/test.h"
#include "session/trace_frames.h"

#define THEIRS 9

static struct frames_writer writer;
static struct frames_seen seen;
static uint32_t n_theirs;

/* Starts the other writer, which does not seek to the start of the file. */
static void begin_theirs(int fd)
{
	struct syscap_wire_file header = { .magic = SYSCAP_MAGIC,
		                           .version = 1,
		                           .little_endian = SYC_TRACE_IS_LITTLE,
		                           .time = 5 };

	CHECK_EQ(ftruncate(fd, 0), 0);
	CHECK_EQ(write(fd, &header, sizeof(header)), sizeof(header));
}

static void write_theirs(int fd, unsigned n)
{
	unsigned char frames[50][40];

	CHECK(n <= 50);
	for (unsigned i = 0; i < n; i++)
		frames_fill(frames[i], THEIRS, n_theirs++, sizeof(frames[i]));
	CHECK_EQ(write(fd, frames, n * sizeof(frames[0])),
	         (ssize_t)(n * sizeof(frames[0])));
}

static void begin(int fd)
{
	memset(&writer, 0, sizeof(writer));
	n_theirs = 0;
	frames_open(&writer, 1, fd);
}

static void end(int fd, unsigned n)
{
	syc_trace_close(&writer.trace);
	frames_look_whole(fd, &seen);
	CHECK_EQ(seen.writers[THEIRS], n_theirs);
	CHECK_EQ(seen.writers[1], n);
	close(fd);
}

TEST(frames_follow_those_of_the_first_writer)
{
	const int fd = frames_make_file(O_RDWR);

	begin_theirs(fd);
	begin(fd);
	for (unsigned i = 0; i < 5; i++) {
		CHECK_EQ(frames_write(&writer, 10, 0), 0);
		write_theirs(fd, 3 + i);
	}
	CHECK_EQ(frames_write(&writer, 10, 0), 0);
	CHECK_EQ(writer.trace.n_emptied, 0);
	end(fd, 60);
}

TEST(a_later_writer_that_empties_the_file_is_noticed)
{
	const int fd = frames_make_file(O_RDWR);

	begin(fd);
	CHECK_EQ(frames_write(&writer, 10, 0), 0);
	const uint64_t size = frames_size(fd);
	begin_theirs(fd);
	writer.next = 0; /* the first ten frames are gone */
	for (unsigned i = 0; i < 5; i++) {
		write_theirs(fd, 3 + i);
		CHECK_EQ(frames_write(&writer, 10, 0), 0);
	}
	CHECK_EQ(writer.trace.n_emptied,
	         size - sizeof(struct syscap_wire_file));
	end(fd, 50);
}

TEST(bytes_behind_the_position_are_not_overwritten)
{
	const int fd = frames_make_file(O_RDWR);
	unsigned char frame[40];

	begin_theirs(fd);
	begin(fd);
	frames_fill(frame, THEIRS, n_theirs++, sizeof(frame));
	CHECK_EQ(pwrite(fd, frame, sizeof(frame), 256), sizeof(frame));
	CHECK_EQ(frames_write(&writer, 10, 0), 0);
	write_theirs(fd, 5);
	end(fd, 10);
}

TEST(a_file_that_was_just_emptied_is_waited_for)
{
	const int fd = frames_make_file(O_RDWR);

	begin_theirs(fd);
	begin(fd);
	CHECK_EQ(ftruncate(fd, 0), 0);
	CHECK_EQ(frames_write(&writer, 10, 0), -EAGAIN);
	CHECK_EQ(frames_size(fd), 0);
	syc_trace_close(&writer.trace);
	close(fd);
}

TEST(a_closed_writers_capture_can_be_continued)
{
	const int fd = frames_make_file(O_RDWR);

	begin_theirs(fd);
	write_theirs(fd, 20);
	begin(fd);
	CHECK_EQ(frames_write(&writer, 10, 0), 0);
	syc_trace_close(&writer.trace);
	begin(fd);
	n_theirs = 20;
	writer.next = 10;
	CHECK_EQ(frames_write(&writer, 10, 0), 0);
	end(fd, 20);
}

TEST(a_memfd_with_another_writer_is_not_changed)
{
	const int fd = memfd_create("test", MFD_CLOEXEC);

	begin(fd);
	CHECK_EQ(frames_write(&writer, 10, 0), 0);
	begin_theirs(fd);
	CHECK_EQ(frames_write(&writer, 10, 0), -EBUSY);
	write_theirs(fd, 5);
	end(fd, 0);
}

static void *write_theirs_often(void *fd)
{
	for (unsigned i = 0; i < 300; i++)
		write_theirs(*(int *)fd, 1 + i % 50);
	return NULL;
}

TEST(both_write_at_the_same_time)
{
	int fd = frames_make_file(O_RDWR);
	pthread_t thread;

	begin_theirs(fd);
	begin(fd);
	CHECK_EQ(pthread_create(&thread, NULL, write_theirs_often, &fd), 0);
	for (unsigned i = 0; i < 300; i++)
		CHECK_EQ(frames_write(&writer, 1 + i % 70, 0), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	unsigned n = 0;
	for (unsigned i = 0; i < 300; i++)
		n += 1 + i % 70;
	end(fd, n);
}
