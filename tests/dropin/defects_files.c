/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_files.c - runner of the cases of a defect, and reader of captures.
 *
 * Captures are read after the description of the format, with code of neither
 * library.
 */
#define _GNU_SOURCE
#include "dropin/defects_files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HEADER       256
#define SKIPPED      77
#define CASE_SECONDS 8

static const struct defect *current;
static const char *folder;
/* fd of messages: cases change fd 2 */
static int out = STDERR_FILENO;

static void say(const char *format, va_list args)
{
	char line[512];

	vsnprintf(line, sizeof(line), format, args);
	dprintf(out, "%s: %s: %s\n", current ? current->id : "?",
	        current ? current->what : "", line);
}

/* Options of AddressSanitizer, as cases leak writers on purpose. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

void defect_shows(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	_exit(1);
}

void defect_broken(const char *what)
{
	dprintf(out, "the test itself failed: %s: %s\n", what, strerror(errno));
	_exit(2);
}

const char *defect_path(const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		abort();
	return path;
}

struct bytes bytes_read(int fd)
{
	struct bytes bytes = { NULL, 0 };
	size_t capacity = 0;
	ssize_t got;

	do {
		if (capacity - bytes.size < 65536) {
			capacity = 2 * capacity + 65536;
			bytes.data = realloc(bytes.data, capacity);
			NEED(bytes.data != NULL);
		}
		got = read(fd, bytes.data + bytes.size, capacity - bytes.size);
		NEED(got >= 0 || errno == EINTR);
		if (got > 0)
			bytes.size += (size_t)got;
	} while (got != 0);
	return bytes;
}

struct bytes bytes_load(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct bytes bytes;

	NEED(fd >= 0);
	bytes = bytes_read(fd);
	close(fd);
	return bytes;
}

void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
	memset(bytes, 0, sizeof(*bytes));
}

void bytes_store(const char *path, const void *data, size_t size)
{
	const int fd =
		open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	NEED(fd >= 0);
	NEED(write(fd, data, size) == (ssize_t)size);
	close(fd);
}

uint16_t bytes_u16(const unsigned char *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

uint32_t bytes_u32(const unsigned char *at)
{
	return bytes_u16(at) | (uint32_t)bytes_u16(at + 2) << 16;
}

uint64_t bytes_u64(const unsigned char *at)
{
	return bytes_u32(at) | (uint64_t)bytes_u32(at + 4) << 32;
}

bool frame_next_whole(const struct bytes *bytes, struct frame *frame)
{
	const size_t at = frame->at ? frame->at + frame->len : HEADER;

	if (!frame->at &&
	    (bytes->size < HEADER ||
	     memcmp(bytes->data, "\x5E\x97\xCA\xFD\x01\x01\0", 8) != 0))
		defect_shows("the file does not begin as a capture does");
	frame->at = at;
	if (bytes->size - at < 24)
		return false;
	frame->data = bytes->data + at;
	frame->len = bytes_u16(frame->data);
	frame->pid = (int32_t)bytes_u32(frame->data + 4);
	frame->time = (int64_t)bytes_u64(frame->data + 8);
	frame->type = frame->data[16];
	if (frame->len < 24 || frame->len % 8 != 0 || frame->type < 1 ||
	    frame->type > 17)
		defect_shows("no frame can be at byte %zu: length %u, type %u",
		             at, frame->len, frame->type);
	return bytes->size - at >= frame->len;
}

bool frame_next(const struct bytes *bytes, struct frame *frame)
{
	if (frame_next_whole(bytes, frame))
		return true;
	if (frame->at != bytes->size)
		defect_shows("the last frame, at byte %zu, is cut in two",
		             frame->at);
	return false;
}

size_t frames_count(const struct bytes *bytes, unsigned type)
{
	struct frame frame = { .at = 0 };
	size_t n = 0;

	while (frame_next(bytes, &frame))
		n += frame.type == type;
	return n;
}

struct frame frames_first(const struct bytes *bytes, unsigned type)
{
	struct frame frame = { .at = 0 };

	while (frame_next(bytes, &frame)) {
		if (frame.type == type)
			return frame;
	}
	defect_shows("there is no frame of type %u", type);
}

void marks_are_complete(const struct bytes *bytes, const bool *accepted,
                        size_t n)
{
	unsigned *const seen = calloc(n + 1, sizeof(*seen));
	struct frame frame = { .at = 0 };

	NEED(seen != NULL);
	while (frame_next(bytes, &frame)) {
		if (frame.type != 10)
			continue;
		const uint64_t number = bytes_u64(frame.data + 24);

		if (frame.len < 104 || number >= n)
			defect_shows("a mark at byte %zu that was not written",
			             frame.at);
		seen[number]++;
	}
	for (size_t i = 0; i < n; i++) {
		const unsigned want = !accepted || accepted[i];

		if (seen[i] != want)
			defect_shows("mark %zu is there %u times, not %u", i,
			             seen[i], want);
	}
	free(seen);
}

const char *jit_name(const struct bytes *bytes, uint64_t address, size_t before)
{
	struct frame frame = { .at = 0 };
	const char *found = NULL;

	while (frame_next_whole(bytes, &frame) && frame.at < before) {
		if (frame.type != 7)
			continue;
		const unsigned char *at = frame.data + 28;
		uint32_t n = bytes_u32(frame.data + 24);

		while (n--) {
			const char *const name = (const char *)at + 8;

			if (bytes_u64(at) == address) {
				if (found && strcmp(found, name) != 0)
					defect_shows(
						"%#llx is %s and %s",
						(unsigned long long)address,
						found, name);
				found = name;
			}
			at += 8 + strlen(name) + 1;
			if (at > frame.data + frame.len)
				defect_shows("names leave the frame at %zu",
				             frame.at);
		}
	}
	return found;
}

static void run_here(const struct defect *defect)
{
	const struct rlimit no_core = { 0, 0 };
	struct rlimit files = { 0, 0 };

	/* The limit also ends an endless loop of writes. */
	getrlimit(RLIMIT_FSIZE, &files);
	files.rlim_cur = 32u << 20;
	setrlimit(RLIMIT_FSIZE, &files);
	setrlimit(RLIMIT_CORE, &no_core);
	setpgid(0, 0);
	/* also ends the case outside of the process group */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	unsetenv("SYSPROF_TRACE_FD");
	unsetenv("SYSPROF_CONTROL_FD");
	defect->check(defect->arg);
	_exit(0);
}

static int wait_for(pid_t pid)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	int status;

	for (int i = 0; i < CASE_SECONDS * 500; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		nanosleep(&pause, NULL);
	}
	kill(pid, SIGKILL);
	NEED(waitpid(pid, &status, 0) == pid);
	dprintf(out, "%s: %s: still not done after %d s\n", current->id,
	        current->what, CASE_SECONDS);
	return 1 << 8;
}

static int run(const struct defect *defect)
{
	pid_t pid;
	int status;

	current = defect;
	pid = fork();
	NEED(pid >= 0);
	if (pid == 0)
		run_here(defect);
	status = wait_for(pid);
	kill(-pid, SIGKILL); /* leftover processes */
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	dprintf(out, "%s: %s: killed by signal %d, %s\n", defect->id,
	        defect->what, WTERMSIG(status), strsignal(WTERMSIG(status)));
	return 1;
}

int main(int argc, char **argv)
{
	int status = 0, n = 0, n_here = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: %s DEFECT FOLDER, DEFECT one of\n",
		        argv[0]);
		for (const struct defect *d = defects; d->id; d++)
			fprintf(stderr, "\t%s\t%s\n", d->id, d->what);
		return 2;
	}
	folder = argv[2];
	out = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 100);
	NEED(out >= 0);
	for (const struct defect *d = defects; d->id; d++) {
		if (strcmp(d->id, argv[1]) != 0)
			continue;
		n++;
		if (!d->check)
			continue;
		n_here++;
		const int got = run(d);

		if (got > 1)
			return 2;
		status |= got;
	}
	if (n == 0) {
		fprintf(stderr, "%s: no such defect\n", argv[1]);
		return 2;
	}
	return n_here ? status : SKIPPED;
}
