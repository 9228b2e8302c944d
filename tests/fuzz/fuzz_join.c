/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_join.c - joins of any bytes, and checks of the result.
 *
 * The input is a capture; or the length of a capture in four bytes, that
 * capture, and another.  For any input, the result is readable to its end
 * without damage, and does not change in further joins.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/join.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
	const uint8_t *data;
	size_t size;
};

static volatile size_t sink;

static void demand(bool condition)
{
	if (!condition)
		abort();
}

static void take(void *data, const struct syc_join_message *message)
{
	(void)data;
	sink += strlen(message->text);
}

static void read_output(int fd, struct bytes *ret_output)
{
	const off_t size = lseek(fd, 0, SEEK_END);
	uint8_t *data = malloc((size_t)size);

	demand(size >= 256 && data != NULL);
	demand(pread(fd, data, (size_t)size, 0) == size);
	ret_output->data = data;
	ret_output->size = (size_t)size;
}

/* Returns the number of problems, or -1 if no input is a capture. */
static int64_t join(const struct bytes *inputs, unsigned n,
                    struct bytes *ret_output)
{
	const struct syc_join_options options = { .report = take };
	struct syscap_reader *readers[2] = { NULL };
	struct syc_join_totals totals;
	struct syc_join_span span;
	struct syc_writer *writer;
	struct syc_join *state;
	unsigned n_read = 0;
	char path[64];

	demand(syc_join_new(&options, &state) == 0);
	for (unsigned i = 0; i < n; i++)
		if (syscap_reader_open_memory(inputs[i].data, inputs[i].size,
		                              &readers[i], NULL) == 0) {
			demand(syc_join_add(state, "in", readers[i]) == 0);
			n_read++;
		}
	if (n_read > 0) {
		const int fd = memfd_create("joined", MFD_CLOEXEC);

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		demand(syc_join_settle(state, &span) == 0);
		demand(syc_writer_open(path, true, &writer, NULL) == 0);
		demand(syc_writer_begin_as(writer, span.begin,
		                           span.capture_time, NULL) == 0);
		demand(syc_join_write(state, writer) == 0);
		demand(syc_writer_finish(writer, span.end) == 0);
		syc_writer_close(writer);
		read_output(fd, ret_output);
		close(fd);
	}
	syc_join_totals(state, &totals);
	syc_join_free(state);
	for (unsigned i = 0; i < n; i++)
		syscap_reader_close(readers[i]);
	return n_read > 0 ? (int64_t)totals.problems : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes inputs[2] = { { data, size }, { NULL, 0 } };
	struct bytes first, second, third;
	uint32_t len = 0;
	unsigned n = 1;

	if (size >= sizeof(len))
		memcpy(&len, data, sizeof(len));
	if (size >= sizeof(len) && len <= size - sizeof(len)) {
		inputs[0].data = data + sizeof(len);
		inputs[0].size = len;
		inputs[1].data = inputs[0].data + len;
		inputs[1].size = size - sizeof(len) - len;
		n = 2;
	}
	if (join(inputs, n, &first) < 0)
		return 0;
	demand(join(&first, 1, &second) == 0);
	demand(join(&second, 1, &third) == 0);
	demand(first.size == second.size && second.size == third.size);
	demand(memcmp(second.data, third.data, third.size) == 0);
	free((void *)first.data);
	free((void *)second.data);
	free((void *)third.data);
	return 0;
}
