/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_import.c - imports of any bytes as output of other profilers.
 *
 * The result is a valid capture with as many samples as were read, also if an
 * invalid line ended the import.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
	if (!condition)
		abort();
}

static uint64_t count_samples(const char *path)
{
	struct syscap_reader *reader;
	struct syscap_frame frame;
	uint64_t n = 0;
	int r;

	demand(syscap_reader_open(path, &reader, NULL) == 0);
	while ((r = syscap_reader_next(reader, &frame, NULL)) != 0) {
		demand(r > 0);
		n += frame.type == SYSCAP_FRAME_SAMPLE;
	}
	syscap_reader_close(reader);
	return n;
}

static void read_as(int (*format)(struct syc_import *, struct syscap_error *),
                    const uint8_t *data, size_t size)
{
	const int fd = memfd_create("capture", MFD_CLOEXEC);
	struct syc_import import = { .in = fmemopen((void *)data, size, "r") };
	struct syscap_error error = { 0 };
	char path[32];
	int r;

	demand(fd >= 0 && import.in != NULL);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	demand(syscap_writer_open(path, &import.writer, &error) == 0);
	r = format(&import, &error);
	demand(r == 0 || r == -EBADMSG);
	demand(r == 0 || (import.line > 0 && error.message[0] != 0));
	demand(syscap_writer_close(import.writer, NULL) == 0);
	/* A sample of 0 ticks writes no frame; a sample of many ticks writes
	 * several frames */
	if (format == syc_import_perf_script)
		demand(count_samples(path) == import.n_samples);
	else
		count_samples(path);
	close(fd);
	fclose(import.in);
}

static bool has_number_of(size_t digits, const uint8_t *data, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size && n < digits; i++)
		n = data[i] >= '0' && data[i] <= '9' ? n + 1 : 0;
	return n == digits;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	read_as(syc_import_perf_script, data, size);
	/* A count of 2^44 is a million samples */
	if (!has_number_of(10, data, size))
		read_as(syc_import_folded, data, size);
	return 0;
}
