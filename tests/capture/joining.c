/* SPDX-License-Identifier: BSD-2-Clause */
/* joining.c - joiner of a test's captures, in memory. */
#define _GNU_SOURCE
#include "capture/joining.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/test.h"

static void note(void *data, const struct syc_join_message *message)
{
	struct joined *joined = data;
	char *to = joined->told + strlen(joined->told);
	const size_t room = sizeof(joined->told) - strlen(joined->told);

	if (message->has_offset)
		snprintf(to, room, "%s: at byte %llu: %s\n", message->input,
		         (unsigned long long)message->offset, message->text);
	else
		snprintf(to, room, "%s: %s\n", message->input, message->text);
}

static void take_output(struct joined *joined, int fd)
{
	const off_t size = lseek(fd, 0, SEEK_END);
	struct syscap_reader *reader;

	CHECK(size >= 256);
	joined->size = (size_t)size;
	joined->data = malloc(joined->size);
	CHECK_EQ(pread(fd, joined->data, joined->size, 0), size);
	reader = joined_open(joined);
	syscap_reader_info(reader, &joined->info);
	syscap_reader_close(reader);
}

void join_with(struct joined *ret_joined,
               const struct syc_join_options *options,
               struct make_capture *captures, unsigned n)
{
	struct syc_join_options all = *options;
	struct joined *joined = ret_joined;
	struct syscap_reader *readers[8];
	struct syc_writer *writer;
	struct syc_join *state;
	char path[64], name[2] = "a";
	const int fd = memfd_create("joined", MFD_CLOEXEC);

	memset(joined, 0, sizeof(*joined));
	all.report = note;
	all.data = joined;
	CHECK(n <= 8 && fd >= 0);
	CHECK_EQ(syc_join_new(&all, &state), 0);
	for (unsigned i = 0; i < n; i++, name[0]++) {
		CHECK_EQ(syscap_reader_open_memory(captures[i].data,
		                                   captures[i].size,
		                                   &readers[i], NULL),
		         0);
		CHECK_EQ(syc_join_add(state, name, readers[i]), 0);
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	CHECK_EQ(syc_join_settle(state, &joined->span), 0);
	CHECK_EQ(syc_writer_open(path, false, &writer, NULL), 0);
	CHECK_EQ(syc_writer_begin_as(writer, joined->span.begin,
	                             joined->span.capture_time, NULL),
	         0);
	CHECK_EQ(syc_join_write(state, writer), 0);
	CHECK_EQ(syc_writer_finish(writer, joined->span.end), 0);
	syc_join_totals(state, &joined->totals);
	syc_writer_close(writer);
	syc_join_free(state);
	take_output(joined, fd);
	close(fd);
	for (unsigned i = 0; i < n; i++) {
		syscap_reader_close(readers[i]);
		make_free(&captures[i]);
	}
}

void join(struct joined *ret_joined, struct make_capture *captures, unsigned n)
{
	const struct syc_join_options options = { 0 };

	join_with(ret_joined, &options, captures, n);
}

void joined_free(struct joined *joined)
{
	free(joined->data);
	joined->data = NULL;
}

struct syscap_reader *joined_open(const struct joined *joined)
{
	struct syscap_reader *reader;

	CHECK_EQ(syscap_reader_open_memory(joined->data, joined->size, &reader,
	                                   NULL),
	         0);
	return reader;
}

unsigned joined_count(const struct joined *joined, unsigned type)
{
	struct syscap_reader *reader = joined_open(joined);
	struct syscap_frame frame;
	unsigned n = 0;
	int r;

	while ((r = syscap_reader_next(reader, &frame, NULL)) > 0)
		n += frame.type == type;
	CHECK_EQ(r, 0);
	syscap_reader_close(reader);
	return n;
}

void joined_find(const struct joined *joined, unsigned type, unsigned i,
                 struct syscap_frame *ret_frame)
{
	struct syscap_reader *reader = joined_open(joined);
	unsigned n = 0;

	while (syscap_reader_next(reader, ret_frame, NULL) > 0)
		if (ret_frame->type == type && n++ == i) {
			syscap_reader_close(reader);
			return;
		}
	test_fail(__FILE__, __LINE__, "no frame %u of type %u", i, type);
}
