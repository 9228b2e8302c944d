/* SPDX-License-Identifier: BSD-2-Clause */
/* test_public_writer.c - syscap_writer_...: a reader finds the written
 * frames. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap/capture.h>

#include "base/frame.h"
#include "harness/test.h"

static int file = -1;

static const char *make_path(void)
{
	static char path[32];

	file = memfd_create("capture", MFD_CLOEXEC);
	CHECK(file >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return path;
}

static struct syscap_writer *open_writer(const char *path)
{
	struct syscap_writer *writer;

	CHECK(syscap_writer_open(path, &writer, NULL) == 0);
	return writer;
}

static struct syscap_reader *finish(struct syscap_writer *writer,
                                    const char *path)
{
	struct syscap_reader *reader;

	CHECK(syscap_writer_close(writer, NULL) == 0);
	CHECK(syscap_reader_open(path, &reader, NULL) == 0);
	close(file);
	return reader;
}

static struct syscap_frame next(struct syscap_reader *reader, uint8_t type)
{
	struct syscap_frame frame;

	CHECK(syscap_reader_next(reader, &frame, NULL) == 1);
	CHECK(frame.type == type);
	return frame;
}

TEST(added_frames_are_read_again)
{
	const char *path = make_path();
	struct syscap_writer *writer = open_writer(path);
	struct syscap_reader *reader;
	struct syscap_file_info info;
	struct syscap_frame frame;
	uint64_t stack[2], again, address;
	const char *name;
	size_t cursor = 0;

	CHECK(syscap_writer_add_process(writer, 1000, 42, "/bin/x --y") == 0);
	CHECK(syscap_writer_add_thread(writer, 1500, 42, 43, "worker") == 0);
	CHECK(syscap_writer_add_name(writer, 1600, 42, "leaf", &stack[0]) == 0);
	CHECK(syscap_writer_add_name(writer, 1600, 42, "ma\xFFin\n",
	                             &stack[1]) == 0);
	CHECK(syscap_writer_add_name(writer, 1700, 9, "leaf", &again) == 0);
	CHECK(again == stack[0] && stack[0] != stack[1]);
	CHECK(stack[0] >= SYSCAP_JIT_MARK);
	CHECK(syscap_writer_add_sample(
		      writer, 2000,
		      &(struct syscap_writer_sample){ .pid = 42,
	                                              .tid = 43,
	                                              .ticks = 7,
	                                              .addrs = stack,
	                                              .n_addrs = 2 }) == 0);
	CHECK(syscap_writer_add_rate(writer, 2000, 1000, true) == 0);
	CHECK(syscap_writer_add_rate(writer, 2000, 0, true) == -EINVAL);
	CHECK(syscap_writer_add_rate(writer, 2000, 1000001, true) == -EINVAL);
	reader = finish(writer, path);
	syscap_reader_info(reader, &info);
	CHECK(info.begin == 1000 && info.end == 2000);
	frame = next(reader, SYSCAP_FRAME_PROCESS);
	CHECK(frame.pid == 42 &&
	      strcmp(frame.process.cmdline, "/bin/x --y") == 0);
	frame = next(reader, SYSCAP_FRAME_METADATA);
	CHECK(frame.tid == 43 && strcmp(frame.metadata.value, "worker") == 0);
	next(reader, SYSCAP_FRAME_JITMAP);
	frame = next(reader, SYSCAP_FRAME_JITMAP);
	CHECK(syscap_frame_jit_name(reader, &frame, &cursor, &address, &name));
	CHECK(address == stack[1] && strcmp(name, "ma\xEF\xBF\xBDin\n") == 0);
	frame = next(reader, SYSCAP_FRAME_SAMPLE);
	CHECK(frame.time == 2000 && frame.tid == 43);
	CHECK(frame.padding2 == (SYSCAP_WEIGHT_TAG | 7));
	CHECK(frame.sample.n_addrs == 2);
	CHECK(syscap_frame_addr(reader, &frame, 0, &address) &&
	      address == stack[0]);
	frame = next(reader, SYSCAP_FRAME_METADATA);
	CHECK(frame.pid == -1 &&
	      strcmp(frame.metadata.id, "syscap.sample") == 0 &&
	      strcmp(frame.metadata.value, "1000,wall") == 0);
	CHECK(syscap_reader_next(reader, &frame, NULL) == 0);
	syscap_reader_close(reader);
}

TEST(oversized_texts_are_cut_or_split)
{
	static uint64_t stack[9000];
	const char *path = make_path();
	struct syscap_writer *writer = open_writer(path);
	struct syscap_writer_sample sample = { .pid = 1,
		                               .tid = 1,
		                               .ticks = UINT64_C(1) << 24,
		                               .addrs = stack,
		                               .n_addrs = 9000 };
	struct syscap_reader *reader;
	struct syscap_frame frame;

	CHECK(syscap_writer_add_sample(writer, 5, &sample) == 0);
	sample.ticks = 0;
	CHECK(syscap_writer_add_sample(writer, 6, &sample) == 0);
	reader = finish(writer, path);
	frame = next(reader, SYSCAP_FRAME_SAMPLE);
	CHECK(frame.sample.n_addrs == 8187);
	CHECK(frame.bytes[26] == (SYSCAP_STACK_CUT & SYC_FRAME_STACK_FLAGS));
	CHECK(frame.padding2 == (SYSCAP_WEIGHT_TAG | 0xFFFFFF));
	frame = next(reader, SYSCAP_FRAME_SAMPLE);
	CHECK(frame.padding2 == 0);
	CHECK(syscap_reader_next(reader, &frame, NULL) == 0);
	syscap_reader_close(reader);
}

TEST(empty_file_is_a_capture)
{
	const char *path = make_path();
	struct syscap_reader *reader = finish(open_writer(path), path);
	struct syscap_frame frame;

	CHECK(syscap_reader_next(reader, &frame, NULL) == 0);
	syscap_reader_close(reader);
}

TEST(first_failure_is_returned_by_close)
{
	struct syscap_writer *writer;
	struct syscap_error error;
	int r = 0;

	if (syscap_writer_open("/dev/full", &writer, NULL) != 0)
		SKIP("there is no /dev/full");
	for (int i = 0; r == 0 && i < 100000; i++)
		r = syscap_writer_add_process(writer, i, 1, "a name");
	CHECK(r == -ENOSPC);
	CHECK(syscap_writer_add_process(writer, 1, 1, "more") == -ENOSPC);
	CHECK(syscap_writer_close(writer, &error) == -ENOSPC);
	CHECK(strstr(error.message, "No space") != NULL);
}
