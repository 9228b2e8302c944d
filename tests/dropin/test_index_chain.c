/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_index_chain.c - indexes of a large capture are at frames.  The chain
 * stays complete with handlers during a call that adds an index, and with other
 * writers of the file.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sysprof-capture.h>

#include "harness/stepper.h"
#include "harness/test.h"
#include "harness/tsan.h"

#define EACH  65536u
#define SMALL 4096u

/* Contents of a file. */
struct found {
	uint64_t last; /* from the header */
	unsigned n_frames, n_indexes, n_marks;
};

static SysprofCaptureWriter *writer;
static unsigned n_marks;

static SysprofCaptureWriter *open_on(int fd)
{
	SysprofCaptureWriter *const opened =
		sysprof_capture_writer_new_from_fd(dup(fd), SMALL);

	CHECK(opened != NULL);
	return opened;
}

static void add_timestamps(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		CHECK(sysprof_capture_writer_add_timestamp(writer, i, -1, 7));
}

static void add_mark(void)
{
	if (sysprof_capture_writer_add_mark(writer, 5, -1, 7, 1, "group",
	                                    "name", NULL))
		__atomic_add_fetch(&n_marks, 1, __ATOMIC_RELAXED);
}

/* Checks that the index frame at @at leads to the previous one. */
static void check_link(const unsigned char *data, uint64_t at,
                       uint64_t *previous, struct found *ret)
{
	SysprofCaptureFrameIndex index;

	memcpy(&index, data + at, sizeof(index));
	CHECK_EQ(index.previous_frame_index, *previous);
	*previous = at;
	ret->n_indexes++;
}

static struct found look_at(int fd)
{
	struct found found = { 0 };
	uint64_t previous = 0;
	struct stat st;
	bool is_known;

	CHECK_EQ(fstat(fd, &st), 0);
	const uint64_t size = (uint64_t)st.st_size;
	unsigned char *const data =
		mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK(data != MAP_FAILED);
	memcpy(&found.last, data + 88, sizeof(found.last));
	is_known = found.last == 0;
	for (uint64_t at = 256; at < size;) {
		SysprofCaptureFrame frame;

		CHECK(size - at >= sizeof(frame));
		memcpy(&frame, data + at, sizeof(frame));
		CHECK(frame.len >= 24 && frame.len <= size - at);
		found.n_frames++;
		found.n_marks += frame.type == SYSPROF_CAPTURE_FRAME_MARK;
		if (frame.padding2 == SYSPROF_CAPTURE_FRAME_INDEX_MAGIC) {
			CHECK_EQ(frame.len, 32);
			check_link(data, at, &previous, &found);
			is_known |= at == found.last;
		}
		at += frame.len;
	}
	CHECK(is_known);
	munmap(data, size);
	return found;
}

static int new_file(void)
{
	const int fd = memfd_create("capture", MFD_CLOEXEC);

	CHECK(fd >= 0);
	return fd;
}

static void act(void)
{
	for (unsigned i = 0; i < 3; i++)
		add_mark();
}

TEST(handler_at_any_instruction_moves_the_index)
{
	SKIP_UNDER_TSAN();
	const long n = stepper_stride(29);
	const int fd = new_file();
	struct stepper stepper;
	bool was_inside = true;

	stepper_install(false);
	for (long k = stepper_first(n); was_inside; k += n) {
		writer = open_on(fd);
		n_marks = 0;
		add_timestamps(EACH);
		was_inside = stepper_run(&stepper, k, add_mark, act);
		add_mark();
		sysprof_capture_writer_unref(writer);
		const struct found found = look_at(fd);
		CHECK_EQ(found.n_indexes, 1);
		CHECK(found.last != 0);
		CHECK_EQ(found.n_marks, n_marks);
		CHECK_EQ(found.n_frames, EACH + 1 + n_marks);
	}
	close(fd);
}

TEST(writing_child_ends_indexes)
{
	const int fd = new_file();

	writer = open_on(fd);
	add_timestamps(EACH);
	const pid_t pid = fork();
	if (pid == 0) {
		add_timestamps(EACH + 5);
		exit(0);
	}
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	add_timestamps(EACH + 5);
	sysprof_capture_writer_unref(writer);
	const struct found found = look_at(fd);
	CHECK(found.n_indexes <= 1);
	CHECK_EQ(found.last, 0);
	CHECK_EQ(found.n_frames, 3 * EACH + 10 + found.n_indexes);
	close(fd);
}

TEST(pipe_has_no_index)
{
	static unsigned char bytes[65536];
	size_t n_bytes = 0;
	int ends[2];
	ssize_t n;

	CHECK_EQ(pipe(ends), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		writer = open_on(ends[1]);
		add_timestamps(EACH + 5);
		sysprof_capture_writer_unref(writer);
		_exit(0);
	}
	close(ends[1]);
	while ((n = read(ends[0], bytes, sizeof(bytes))) > 0)
		n_bytes += (size_t)n;
	CHECK_EQ(n_bytes, 256 + 24 * (EACH + 5));
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	close(ends[0]);
}
