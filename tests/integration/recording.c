/* SPDX-License-Identifier: BSD-2-Clause */
/* recording.c - runs of `syscap record` in a test. */
#define _GNU_SOURCE
#include "integration/recording.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/loss_record.h"
#include "harness/test.h"

#define ARGS_MAX 32

void recording_init(struct recording *recording)
{
	memset(recording, 0, sizeof(*recording));
	strcpy(recording->dir, "/tmp/syscap-recording.XXXXXX");
	CHECK(mkdtemp(recording->dir) != NULL);
	snprintf(recording->path, sizeof(recording->path), "%s/capture.syscap",
	         recording->dir);
}

static const char *messages_path(const struct recording *recording)
{
	static char path[96];

	snprintf(path, sizeof(path), "%s/messages", recording->dir);
	return path;
}

void recording_free(struct recording *recording)
{
	unlink(recording->path);
	unlink(messages_path(recording));
	rmdir(recording->dir);
}

const char *recording_program(const char *name)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % 4];

	if (getenv("SYSCAP_TEST_BIN") == NULL)
		SKIP("SYSCAP_TEST_BIN is not set");
	snprintf(path, sizeof(paths[0]), "%s/%s", getenv("SYSCAP_TEST_BIN"),
	         name);
	return path;
}

void recording_start(struct recording *recording, const char *arg, ...)
{
	const char *args[ARGS_MAX] = { getenv("SYSCAP"), "record", "-o",
		                       recording->path };
	unsigned n = 4;
	va_list list;
	int fd;

	if (args[0] == NULL)
		SKIP("SYSCAP is not set");
	va_start(list, arg);
	for (; arg != NULL; arg = va_arg(list, const char *)) {
		CHECK(n < ARGS_MAX - 1);
		args[n++] = arg;
	}
	va_end(list);
	recording->pid = fork();
	CHECK(recording->pid >= 0);
	if (recording->pid == 0) {
		fd = open(messages_path(recording),
		          O_WRONLY | O_CREAT | O_TRUNC, 0600);
		dup2(fd, STDERR_FILENO);
		close(fd);
		execv(args[0], (char *const *)args);
		_exit(99);
	}
}

int recording_finish(struct recording *recording)
{
	FILE *file;
	int status;
	size_t n;

	CHECK_EQ(waitpid(recording->pid, &status, 0), recording->pid);
	recording->status = WIFEXITED(status) ? WEXITSTATUS(status)
	                                      : 1000 + WTERMSIG(status);
	file = fopen(messages_path(recording), "r");
	CHECK(file != NULL);
	n = fread(recording->messages, 1, sizeof(recording->messages) - 1,
	          file);
	recording->messages[n] = 0;
	fclose(file);
	return recording->status;
}

size_t recording_count(const struct recording *recording,
                       bool (*matches)(const struct syscap_frame *frame,
                                       const void *arg),
                       const void *arg)
{
	struct syscap_reader *reader;
	struct syscap_error error;
	struct syscap_frame frame;
	size_t n = 0;
	int r;

	if (syscap_reader_open(recording->path, &reader, &error) != 0)
		test_fail(__FILE__, __LINE__, "%s: %s\n%s", recording->path,
		          error.message, recording->messages);
	while ((r = syscap_reader_next(reader, &frame, &error)) > 0)
		n += matches(&frame, arg);
	if (r != 0)
		test_fail(__FILE__, __LINE__, "%s, at %llu: %s",
		          recording->path, (unsigned long long)error.offset,
		          error.message);
	syscap_reader_close(reader);
	return n;
}

struct wanted {
	const char *group, *name;
};

static bool is_mark(const struct syscap_frame *frame, const void *arg)
{
	const struct wanted *wanted = arg;

	return frame->type == SYSCAP_FRAME_MARK &&
	       strcmp(frame->mark.group, wanted->group) == 0 &&
	       strcmp(frame->mark.name, wanted->name) == 0;
}

size_t recording_count_marks(const struct recording *recording,
                             const char *group, const char *name)
{
	const struct wanted wanted = { group, name };

	return recording_count(recording, is_mark, &wanted);
}

static bool is_type(const struct syscap_frame *frame, const void *arg)
{
	return frame->type == *(const uint8_t *)arg;
}

size_t recording_count_type(const struct recording *recording, uint8_t type)
{
	return recording_count(recording, is_type, &type);
}

struct lost {
	unsigned type;
	uint64_t n;
};

static bool is_lost(const struct syscap_frame *frame, const void *arg)
{
	static const struct wanted record = { SYC_LOSS_RECORD_GROUP,
		                              SYC_LOSS_RECORD_NAME };
	struct lost *const lost = *(struct lost *const *)arg;
	struct syc_loss loss;

	if (!is_mark(frame, &record))
		return false;
	CHECK(syc_loss_record_parse(frame->mark.message, &loss));
	lost->n += loss.frames[lost->type];
	return true;
}

uint64_t recording_count_lost(const struct recording *recording, uint8_t type)
{
	struct lost lost = { .type = type }, *const of = &lost;

	recording_count(recording, is_lost, &of);
	return lost.n;
}

static bool is_next_good(const struct syscap_frame *frame, const void *arg)
{
	static const struct wanted good = { "test", "good" };
	unsigned *next = *(unsigned *const *)arg;
	char number[16];

	if (!is_mark(frame, &good))
		return false;
	snprintf(number, sizeof(number), "%u", *next);
	CHECK_STR(frame->mark.message, number);
	++*next;
	return true;
}

void recording_check_good(const struct recording *recording, unsigned n)
{
	unsigned next = 0, *at = &next;

	CHECK_EQ(recording_count(recording, is_next_good, &at), n);
}

bool recording_wait(bool (*done)(const void *arg), const void *arg)
{
	for (unsigned i = 0; i < 12000; i++) {
		if (done(arg))
			return true;
		usleep(5000);
	}
	return false;
}
