/* SPDX-License-Identifier: BSD-2-Clause */
/* test_behaviour.c - functions of <sysprof-capture.h>, one by one. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "behaviour.h"

#define SECONDS 30

void behaviour_fail(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: not so: %s (errno %d, %s)\n", file, line, what,
	        errno, strerror(errno));
	_exit(1);
}

SysprofCaptureWriter *behaviour_writer_open(void)
{
	SysprofCaptureWriter *writer = sysprof_capture_writer_new("capture", 0);

	CHECK(writer != NULL);
	return writer;
}

SysprofCaptureReader *behaviour_reader_open(SysprofCaptureWriter *writer)
{
	SysprofCaptureReader *reader;

	sysprof_capture_writer_unref(writer);
	reader = sysprof_capture_reader_new("capture");
	CHECK(reader != NULL);
	return reader;
}

bool behaviour_seek(SysprofCaptureReader *reader, SysprofCaptureFrameType type)
{
	SysprofCaptureFrameType found;

	while (sysprof_capture_reader_peek_type(reader, &found)) {
		if (found == type)
			return true;
		CHECK(sysprof_capture_reader_skip(reader));
	}
	return false;
}

unsigned int behaviour_count(SysprofCaptureReader *reader,
                             SysprofCaptureFrameType type)
{
	unsigned int n = 0;

	for (; behaviour_seek(reader, type); n++)
		CHECK(sysprof_capture_reader_skip(reader));
	return n;
}

size_t behaviour_load_fd(int fd, void *data, size_t size)
{
	ssize_t n = pread(fd, data, size, 0);

	CHECK(n >= 0);
	return (size_t)n;
}

size_t behaviour_load(const char *name, void *data, size_t size)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	size_t n;

	CHECK(fd >= 0);
	n = behaviour_load_fd(fd, data, size);
	close(fd);
	return n;
}

void behaviour_store(const char *name, const void *data, size_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	CHECK(write(fd, data, size) == (ssize_t)size);
	close(fd);
}

void behaviour_pattern(uint8_t *data, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		data[i] = (uint8_t)(i * 7 + i / 251);
}

/* Number of entries of a directory, without . and .. */
static unsigned int count_entries(const char *name, bool remove_them)
{
	DIR *dir = opendir(name);
	struct dirent *entry;
	unsigned int n = 0;

	CHECK(dir != NULL);
	while ((entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		if (remove_them)
			unlinkat(dirfd(dir), entry->d_name, 0);
		n++;
	}
	closedir(dir);
	return n;
}

#ifndef DEFECTS_OURS
/* Options of AddressSanitizer, as the reference leaks. */
const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

static void run_alone(const struct behaviour *test)
{
	unsigned int before, after;

	alarm(SECONDS);
	/* No recorder records this process, except in tests that start a
	 * recorder. */
	unsetenv("SYSPROF_CONTROL_FD");
	unsetenv("SYSPROF_TRACE_FD");
	unsetenv("SYSCAP_OUTPUT");
	before = count_entries("/proc/self/fd", false);
	test->run();
	after = count_entries("/proc/self/fd", false);
	CHECK(after == before);
	exit(0); /* a normal end, as the library may have exit work */
}

static bool passes(const struct behaviour *test, const char *folder)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		run_alone(test);
	while (waitpid(pid, &status, 0) < 0)
		CHECK(errno == EINTR);
	count_entries(folder, true);
	if (WIFSIGNALED(status))
		printf("FAILED %s: signal %d\n", test->name, WTERMSIG(status));
	else if (WEXITSTATUS(status))
		printf("FAILED %s\n", test->name);
	else
		printf("ok     %s\n", test->name);
	return status == 0;
}

static bool is_wanted(const char *name, char **names)
{
	if (*names == NULL)
		return true;
	for (; *names; names++) {
		if (strcmp(*names, name) == 0)
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	static const struct behaviour *const groups[] = {
		behaviour_system, behaviour_collector, behaviour_writer,
		behaviour_reader, behaviour_frames,    behaviour_stacks,
		behaviour_files,  behaviour_counters,  behaviour_cursor,
		behaviour_join,   behaviour_newer,
	};
	const char *parent = getenv("TMPDIR");
	const struct behaviour *test;
	unsigned int n = 0, n_failed = 0;
	char folder[4096];
	size_t i;

	(void)argc;
	snprintf(folder, sizeof(folder), "%s/behaviour.XXXXXX",
	         parent ? parent : "/tmp");
	CHECK(mkdtemp(folder) != NULL);
	CHECK(chdir(folder) == 0);
	for (i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		for (test = groups[i]; test->name; test++) {
			if (!is_wanted(test->name, argv + 1))
				continue;
			n++;
			if (!passes(test, folder))
				n_failed++;
		}
	}
	rmdir(folder);
	printf("%u tests with the library of release %s, %u failed\n", n,
	       SYSPROF_VERSION_S, n_failed);
	return n == 0 || n_failed ? 1 : 0;
}
