/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * make_corpus_reference.c - generator of a capture through the public writer of
 * the linked library:
 *
 *	make_corpus_reference FILE
 *
 * corpus/written/reference.syscap comes from libsysprof-capture-4 3.46,
 * ours.syscap from the drop-in, which has a few more functions.  Times and ids
 * are invented, except those set by the library.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sysprof-capture.h>

#define PID 7

static SysprofCaptureWriter *writer;
static bool is_written = true;

static void check(bool is_added)
{
	is_written &= is_added;
}

static int fill_stack(SysprofCaptureAddress *addrs, unsigned n_addrs,
                      void *data)
{
	(void)data;
	for (unsigned i = 0; i < 3 && i < n_addrs; i++)
		addrs[i] = 0x401000 + 16 * i;
	return 3;
}

static void add_counters(void)
{
	const unsigned first =
		sysprof_capture_writer_request_counter(writer, 9);
	SysprofCaptureCounter counters[9];
	SysprofCaptureCounterValue values[9];
	unsigned ids[9];

	memset(counters, 0, sizeof(counters));
	for (unsigned i = 0; i < 9; i++) {
		ids[i] = first + i;
		counters[i].id = ids[i] & 0xFFFFFF;
		counters[i].type = i % 2;
		snprintf(counters[i].category, sizeof(counters[i].category),
		         "corpus");
		snprintf(counters[i].name, sizeof(counters[i].name), "c%u", i);
		values[i].v64 = (int64_t)i << 40;
	}
	check(sysprof_capture_writer_define_counters(writer, 1100, -1, PID,
	                                             counters, 9));
	check(sysprof_capture_writer_set_counters(writer, 1101, 1, PID, ids,
	                                          values, 9));
	check(sysprof_capture_writer_set_counters(writer, 1102, 1, PID, ids,
	                                          values, 1));
}

static void add_stacks(void)
{
	SysprofCaptureAddress stack[5] = { 0, 0, UINT64_C(0xFFFFFFFFFFFFFE00),
		                           0x401000, 0x402000 };

	stack[0] = sysprof_capture_writer_add_jitmap(writer, "inner (app:1)");
	stack[1] = sysprof_capture_writer_add_jitmap(writer, "outer (app:2)");
	check(sysprof_capture_writer_add_sample(writer, 1200, 0, PID, PID,
	                                        stack, 5));
	stack[0] = sysprof_capture_writer_add_jitmap(writer, "third (app:3)");
	check(sysprof_capture_writer_add_sample(writer, 1201, 0, PID, 8, stack,
	                                        2));
	check(sysprof_capture_writer_add_allocation_copy(
		writer, 1202, 0, PID, PID, 0xABC0, 64, stack, 5));
	check(sysprof_capture_writer_add_allocation(
		writer, 1203, 0, PID, PID, 0xABC0, 0, fill_stack, NULL));
}

static void add_files(void)
{
	const uint8_t bytes[] = "part of a file";
	int ends[2];

	check(sysprof_capture_writer_add_file(writer, 1300, -1, -1, "/a", false,
	                                      bytes, sizeof(bytes)));
	check(sysprof_capture_writer_add_file(writer, 1301, -1, -1, "/b", true,
	                                      bytes, 5));
	check(sysprof_capture_writer_add_file(writer, 1302, -1, -1, "/a", true,
	                                      bytes, 4));
	check(pipe(ends) == 0 && write(ends[1], bytes, 9) == 9);
	close(ends[1]);
	check(sysprof_capture_writer_add_file_fd(writer, 1303, -1, -1, "/c",
	                                         ends[0]));
	close(ends[0]);
}

static void add_newer(void)
{
#if SYSPROF_CHECK_VERSION(45, 0, 0)
	const SysprofCaptureAddress stack[1] = { 0x401000 };
	const uint8_t message[] = "l\1\0\1 not a whole message";

	check(sysprof_capture_writer_add_map_with_build_id(
		writer, 1400, -1, PID, 0x600000, 0x700000, 0, 0, "/usr/lib/b",
		"00ff1234"));
	check(sysprof_capture_writer_add_trace(writer, 1401, 0, PID, PID, stack,
	                                       1, true));
	check(sysprof_capture_writer_add_dbus_message(
		writer, 1402, -1, PID, 2, 0, message, sizeof(message)));
#endif
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "Usage: make_corpus_reference FILE\n");
		return 2;
	}
	writer = sysprof_capture_writer_new(argv[1], 0);
	if (writer == NULL) {
		perror(argv[1]);
		return 1;
	}
	check(sysprof_capture_writer_add_process(writer, 1000, -1, PID,
	                                         "corpus --all"));
	check(sysprof_capture_writer_add_map(writer, 1001, -1, PID, 0x400000,
	                                     0x500000, 0, 77, "/usr/bin/a"));
	check(sysprof_capture_writer_add_fork(writer, 1002, 0, PID, 9));
	check(sysprof_capture_writer_add_timestamp(writer, 1003, -1, -1));
	check(sysprof_capture_writer_add_mark(writer, 1004, 2, PID, 50, "group",
	                                      "name", "a message"));
	check(sysprof_capture_writer_add_mark(writer, 1005, 2, PID, 0, "group",
	                                      "name", NULL));
	check(sysprof_capture_writer_add_log(writer, 1006, 2, PID, 16, "domain",
	                                     "careful"));
	check(sysprof_capture_writer_add_metadata(writer, 1007, -1, -1, "id",
	                                          "a fact", -1));
	check(sysprof_capture_writer_add_overlay(writer, 1008, -1, PID, 1,
	                                         "/srv/root", "/"));
	add_counters();
	add_stacks();
	add_files();
	add_newer();
	check(sysprof_capture_writer_add_exit(writer, 1500, -1, PID));
	check(sysprof_capture_writer_flush(writer));
	sysprof_capture_writer_unref(writer);
	if (!is_written)
		fprintf(stderr, "%s: something was refused\n", argv[1]);
	return !is_written;
}
