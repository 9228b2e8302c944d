/* SPDX-License-Identifier: BSD-2-Clause */
/* written.c - runs of a CHILD that records itself, and reads of its capture. */
#define _GNU_SOURCE
#include "harness/written.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/capture.h>

#include "capture/recover.h"
#include "harness/peer.h"
#include "harness/test.h"

/* A reference that links peer.c, without which the started CHILD would run all
 * tests again. */
static const char *(*const needed)(void)__attribute__((used)) = peer_arg;

pid_t written_start(const char *child, const char *arg, const char *const *env,
                    int fd)
{
	fflush(NULL);
	const pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid != 0)
		return pid;
	unsetenv("SYSPROF_CONTROL_FD");
	unsetenv("SYSPROF_TRACE_FD");
	unsetenv("SYSCAP_OUTPUT");
	for (; env != NULL && *env != NULL; env++)
		putenv(strdup(*env));
	setenv("SYSCAP_TEST_CHILD", child, 1);
	setenv("SYSCAP_TEST_ARG", arg != NULL ? arg : "", 1);
	if (fd == 3)
		fcntl(fd, F_SETFD, 0);
	else if (fd >= 0)
		dup2(fd, 3);
	test_execute_itself("child");
	_exit(98);
}

int written_wait(pid_t pid)
{
	int status = -1;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	return status;
}

void written_run(const char *child, const char *arg, const char *const *env,
                 int fd)
{
	CHECK_EQ(written_wait(written_start(child, arg, env, fd)), 0);
}

void written_mark(unsigned emitter, unsigned n)
{
	char message[32];
	char *p = message + sizeof(message) - 1;

	/* no printf: some tests single-step here */
	*p = '\0';
	do {
		*--p = (char)('0' + n % 10);
		n /= 10;
	} while (n != 0);
	*--p = ' ';
	do {
		*--p = (char)('0' + emitter % 10);
		emitter /= 10;
	} while (emitter != 0);
	SYSCAP_INSTANT("test", "n", p);
}

static void tally_mark(struct tally *t, const struct syscap_frame *frame)
{
	unsigned emitter, n;
	unsigned long long frames;
	const char *marks;

	if (strcmp(frame->mark.group, "syscap") == 0 &&
	    strcmp(frame->mark.name, "lost") == 0 &&
	    sscanf(frame->mark.message, "frames=%llu", &frames) == 1) {
		t->lost += frames;
		marks = strstr(frame->mark.message, " mark=");
		if (marks != NULL)
			t->lost_marks += strtoull(marks + 6, NULL, 10);
	}
	if (strcmp(frame->mark.group, "test") != 0 ||
	    sscanf(frame->mark.message, "%u %u", &emitter, &n) != 2)
		return;
	CHECK(emitter < WRITTEN_EMITTERS);
	t->received++;
	if (n < t->emitters[emitter])
		t->doubles++;
	else
		t->gaps += n - t->emitters[emitter];
	if (n >= t->emitters[emitter])
		t->emitters[emitter] = n + 1;
}

static void tally_process(struct tally *t, const struct syscap_frame *frame)
{
	unsigned i = 0;

	if (frame->pid <= 0) /* a frame of the recorder itself */
		return;
	while (i < t->processes && t->pids[i] != frame->pid)
		i++;
	if (i == t->processes && frame->type != SYSCAP_FRAME_PROCESS) {
		t->unnamed++;
		return;
	}
	CHECK(i < WRITTEN_EMITTERS);
	if (i == t->processes)
		t->pids[t->processes++] = frame->pid;
	t->late += t->exits[i];
	t->exits[i] |= frame->type == SYSCAP_FRAME_EXIT;
}

void written_tally(const char *path, struct tally *t)
{
	memset(t, 0, sizeof(*t));
	written_tally_more(path, t);
}

void written_tally_more(const char *path, struct tally *t)
{
	struct syscap_reader *reader;
	struct syscap_error error;
	struct syscap_frame frame;
	int r;

	t->processes = 0; /* each capture has its own PROCESS frames */
	memset(t->exits, 0, sizeof(t->exits));
	if (syscap_reader_open(path, &reader, &error) != 0)
		test_fail(__FILE__, __LINE__, "%s: %s", path, error.message);
	while ((r = syscap_reader_next(reader, &frame, &error)) == 1) {
		if (frame.type < SYSCAP_FRAME_LAST)
			t->frames[frame.type]++;
		if (frame.type == SYSCAP_FRAME_MARK)
			tally_mark(t, &frame);
		tally_process(t, &frame);
	}
	if (r == -EBADMSG)
		t->torn_at = error.offset;
	else if (r != 0)
		test_fail(__FILE__, __LINE__, "%s: at %llu: %s", path,
		          (unsigned long long)error.offset, error.message);
	syscap_reader_close(reader);
}

void written_wait_until_out(unsigned emitter, unsigned n)
{
	struct syscap_stats stats = { .size = sizeof(stats) };
	struct tally t = { .received = 0 };

	while (t.emitters[emitter] != n) {
		syscap_drain();
		syscap_get_stats(&stats);
		if (stats.n_written != 0)
			written_tally(stats.output[0] != '\0'
			                      ? stats.output
			                      : "/proc/self/fd/3",
			              &t);
		test_sleep_ms(1);
	}
}

char *written_make_dir(void)
{
	char *const dir = strdup("/tmp/syscap-written-XXXXXX");

	CHECK(mkdtemp(dir) != NULL);
	return dir;
}

/* Remove one entry.  Ring files of dead processes are elsewhere, and recovery
 * removes these files. */
static int remove_entry(const char *path, const struct stat *st, int type,
                        struct FTW *ftw)
{
	struct syc_recovered ignored;

	(void)st;
	if (type == FTW_F)
		(void)syc_recover(path, false, &ignored, NULL);
	(void)ftw;
	return remove(path);
}

void written_remove_dir(char *dir)
{
	nftw(dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	free(dir);
}

unsigned written_count_files(const char *dir, const char *suffix)
{
	DIR *const d = opendir(dir);
	unsigned n = 0;

	CHECK(d != NULL);
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		const size_t len = strlen(e->d_name);

		n += e->d_name[0] != '.' && len >= strlen(suffix) &&
		     strcmp(e->d_name + len - strlen(suffix), suffix) == 0;
	}
	closedir(d);
	return n;
}
