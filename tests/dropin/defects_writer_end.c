/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_writer_end.c - the file of a program that ended without finishing its
 * writer, by a kill or an exit.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sysprof-capture.h>

#include "dropin/defects_files.h"

#define NOW       SYSPROF_CAPTURE_CURRENT_TIME
#define N_NAMES   100
#define N_SAMPLES 10000
#define N_MARKS   300

static void name_of(char name[32], unsigned i)
{
	snprintf(name, 32, "function %u", i);
}

/* The tid of each sample determines its name. */
static void write_samples(const char *path)
{
	SysprofCaptureWriter *const writer =
		sysprof_capture_writer_new(path, 0);

	NEED(writer != NULL);
	for (unsigned i = 0; i < N_SAMPLES; i++) {
		SysprofCaptureAddress address;
		char name[32];

		name_of(name, i % N_NAMES);
		address = sysprof_capture_writer_add_jitmap(writer, name);
		NEED(sysprof_capture_writer_add_sample(writer, NOW, 0, 7,
		                                       (int32_t)(i % N_NAMES),
		                                       &address, 1));
	}
}

static void wait_for_end(pid_t pid)
{
	int status;

	NEED(waitpid(pid, &status, 0) == pid);
	if (WIFEXITED(status) && WEXITSTATUS(status))
		_exit(WEXITSTATUS(status));
}

static void names_of_killed(int arg)
{
	const char *const path = defect_path("killed.syscap");
	struct frame frame = { .at = 0 };
	struct bytes bytes;
	unsigned n = 0;
	pid_t pid;

	(void)arg;
	pid = fork();
	if (pid == 0) {
		write_samples(path);
		raise(SIGKILL);
	}
	wait_for_end(pid);
	bytes = bytes_load(path);
	while (frame_next(&bytes, &frame)) {
		char want[32];
		const char *name;

		/* Checks only some samples, as each look-up starts at the
		 * beginning. */
		if (frame.type != 2 || n++ % 97)
			continue;
		name_of(want, bytes_u32(frame.data + 28));
		name = jit_name(&bytes, bytes_u64(frame.data + 32), frame.at);
		if (name == NULL)
			defect_shows("sample %u has no name", n);
		MUST(strcmp(name, want) == 0);
	}
	MUST(n > 0);
}

/* Events up to a moment before the kill must be in the file. */
static void recent_of_killed(int arg)
{
	const char *const path = defect_path("recent.syscap");
	const struct timespec moment = { .tv_sec = 1, .tv_nsec = 300000000 };
	struct frame frame = { .at = 0 };
	bool is_there = false;
	struct bytes bytes;
	pid_t pid;

	(void)arg;
	pid = fork();
	if (pid == 0) {
		SysprofCaptureWriter *const writer =
			sysprof_capture_writer_new(path, 0);

		NEED(writer != NULL);
		sysprof_capture_writer_add_mark(writer, NOW, -1, 7, 0, "g", "n",
		                                "a while ago");
		nanosleep(&moment, NULL);
		sysprof_capture_writer_add_mark(writer, NOW, -1, 7, 1, "g", "n",
		                                "just now");
		raise(SIGKILL);
	}
	wait_for_end(pid);
	bytes = bytes_load(path);
	while (frame_next(&bytes, &frame))
		is_there |= frame.type == 10 && frame.data[24] == 0;
	if (!is_there)
		defect_shows("a mark is lost that was made 1.3 s before");
}

/* The program calls exit() without closing its writer, with or without a
 * flush. */
static void forgotten(int is_by_env)
{
	const char *const path = defect_path("forgotten.syscap");
	struct bytes bytes;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		SysprofCaptureWriter *writer;

		if (is_by_env) {
			char number[16];
			const int fd =
				open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

			NEED(fd > 2);
			snprintf(number, sizeof(number), "%d", fd);
			setenv("SYSPROF_TRACE_FD", number, 1);
			writer = sysprof_capture_writer_new_from_env(0);
		} else {
			writer = sysprof_capture_writer_new(path, 0);
		}
		NEED(writer != NULL);
		for (unsigned i = 0; i < N_MARKS; i++)
			NEED(sysprof_capture_writer_add_mark(writer, NOW, -1, 7,
			                                     i, "g", "n", "m"));
		exit(0);
	}
	wait_for_end(pid);
	bytes = bytes_load(path);
	marks_are_complete(&bytes, NULL, N_MARKS);
}

/* The end time of a killed program's file must not precede a frame. */
static void end_of_killed(int arg)
{
	const char *const path = defect_path("ended.syscap");
	struct bytes bytes;
	int64_t last = 0;
	struct frame frame = { .at = 0 };
	pid_t pid;

	(void)arg;
	pid = fork();
	if (pid == 0) {
		write_samples(path);
		raise(SIGKILL);
	}
	wait_for_end(pid);
	bytes = bytes_load(path);
	while (frame_next(&bytes, &frame))
		last = frame.time > last ? frame.time : last;
	const int64_t end = (int64_t)bytes_u64(bytes.data + 80);

	/* 0 is allowed: a reader then searches for the end time. */
	MUST(end == 0 || end >= last);
}

const struct defect defects[] = {
	{ "W-5", "samples of a killed program have names", names_of_killed, 0 },
	{ "W-5", "a killed program loses a second", recent_of_killed, 0 },
	{ "W-5", "the end of a killed program", end_of_killed, 0 },
	{ "W-5", "exit() with a writer to a file", forgotten, 0 },
	{ "W-5", "exit() with a writer of SYSPROF_TRACE_FD", forgotten, 1 },
	{ NULL, NULL, NULL, 0 },
};
