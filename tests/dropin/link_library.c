/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * link_library.c - an instrumented library, in C and in C++.  link.sh links it,
 * with its copy of syscap, into programs in all usual ways.
 *
 * With LINK_MAIN this file is also the program.  With LINK_PLUGIN the program
 * loads the library that its argument names.
 */
#ifdef LINK_PLUGIN
#include <dlfcn.h>
#endif
#include <stdio.h>
#include <string.h>

#include <sysprof-capture.h>

#define N_MARKS 3

#ifdef __cplusplus
extern "C" {
#endif
#ifndef LINK_PLUGIN
int link_library(const char *capture);
#endif
#ifdef __cplusplus
}
#endif

#ifndef LINK_PLUGIN

static void tell_recorder(void)
{
	SysprofTimeStamp begin = SYSPROF_CAPTURE_CURRENT_TIME;
	SysprofCaptureCounter counter;
	SysprofCaptureCounterValue value;
	unsigned int id;
	int i;

	sysprof_collector_init();
	memset(&counter, 0, sizeof(counter));
	memset(&value, 0, sizeof(value));
	strcpy(counter.category, "link");
	strcpy(counter.name, "counter");
	id = sysprof_collector_request_counters(1);
	counter.id = id & 0xFFFFFF;
	sysprof_collector_define_counters(&counter, 1);
	sysprof_collector_set_counters(&id, &value, 1);
	for (i = 0; i < N_MARKS; i++)
		sysprof_collector_mark_printf(begin, 5, "link", "a mark", "%d",
		                              i);
	sysprof_collector_mark(begin, 5, "link", "another", NULL);
	sysprof_collector_log(64, "link", "a message");
}

/** Makes a capture; returns its number of frames: 3. */
int link_library(const char *capture)
{
	SysprofCaptureWriter *writer;
	SysprofCaptureReader *reader;
	SysprofCaptureFrameType type;
	SysprofCaptureAddress addr;
	int n = 0;

	if (sysprof_clock != -1)
		return -1;
	tell_recorder();
	sysprof_clock_init();
	if (sysprof_clock == -1)
		return -2;
	writer = sysprof_capture_writer_new(capture, 0);
	if (!writer)
		return -3;
	addr = sysprof_capture_writer_add_jitmap(writer, "a name");
	if (!sysprof_capture_writer_add_sample(writer, 1, -1, 2, 3, &addr, 1) ||
	    !sysprof_capture_writer_add_mark(writer, 1, -1, 2, 3, "group",
	                                     "name", NULL))
		return -4;
	sysprof_capture_writer_unref(writer);
	reader = sysprof_capture_reader_new(capture);
	if (!reader)
		return -5;
	for (; sysprof_capture_reader_peek_type(reader, &type); n++) {
		if (!sysprof_capture_reader_skip(reader))
			return -6;
	}
	sysprof_capture_reader_unref(reader);
	return n;
}

#endif

#ifdef LINK_MAIN

static int run(int argc, char **argv)
{
#ifdef LINK_PLUGIN
	void *library = argc == 3 ? dlopen(argv[2], RTLD_NOW) : NULL;
	int (*link_library)(const char *capture);
	int n;

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return -7;
	}
	*(void **)&link_library = dlsym(library, "link_library");
	n = link_library(argv[1]);
	dlclose(library);
	return n;
#else
	return argc == 2 ? link_library(argv[1]) : -7;
#endif
}

int main(int argc, char **argv)
{
	int n = run(argc, argv);

	if (n == 3)
		return 0;
	fprintf(stderr, "link_library returned %d\n", n);
	return 1;
}

#endif
