/* SPDX-License-Identifier: BSD-2-Clause */
/* recovering.c - recoveries of files of make_rings.h, and kills of a
 * recovery. */
#define _GNU_SOURCE
#include "capture/recovering.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"

#define KILLED 99

static int calls_left = -1; /* calls before the last; -1: no last call */
static bool writes_half;    /* a last write writes half */
long recovering_room = -1;

static bool ends_here(void)
{
	if (calls_left < 0)
		return false;
	return calls_left-- == 0;
}

ssize_t pwrite(int fd, const void *from, size_t n, off_t at)
{
	const bool ends = ends_here();

	if (ends && writes_half)
		syscall(SYS_pwrite64, fd, from, n / 2, at);
	if (ends)
		_exit(KILLED);
	if (recovering_room >= 0 && at >= 256 && n > 16 &&
	    at + (long)n > recovering_room && at < 30000) {
		if (at >= recovering_room) {
			errno = ENOSPC;
			return -1;
		}
		n = (size_t)(recovering_room - at);
	}
	return syscall(SYS_pwrite64, fd, from, n, at);
}

int ftruncate(int fd, off_t size)
{
	if (ends_here())
		_exit(KILLED);
	return (int)syscall(SYS_ftruncate, fd, size);
}

int unlinkat(int fd, const char *path, int flags)
{
	if (ends_here())
		_exit(KILLED);
	return (int)syscall(SYS_unlinkat, fd, path, flags);
}

int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
	if (ends_here())
		_exit(KILLED);
	return (int)syscall(SYS_linkat, from_fd, from, to_fd, to, flags);
}

char recovering_dir[] = "/tmp/syscap-recover-XXXXXX";

void recovering_begin(struct make_rings *r)
{
	CHECK(mkdtemp(recovering_dir) != NULL);
	make_rings_begin(r, recovering_dir, 4);
	make_rings_drained_mark(r);
	make_rings_drained_mark(r);
	make_rings_slot(r, 1, SYC_SLOT_LIVE, 71, MAKE_RINGS_BODY - 200);
	make_rings_slot(r, 2, SYC_SLOT_ENDED, 72, 128);
	for (unsigned i = 0; i < 5; i++) {
		make_rings_mark(r, 1);
		make_rings_mark(r, 2);
	}
	make_rings_header(r, 1)->lost.frames[SYSCAP_FRAME_MARK] = 3;
}

void recovering_end(struct make_rings *r)
{
	make_rings_free(r);
	CHECK_EQ(rmdir(recovering_dir), 0);
}

bool recovering_is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

void recovering_run(const char *path, struct syc_recovered *recovered)
{
	struct syscap_error error;

	if (syc_recover(path, false, recovered, &error) != 0)
		test_fail(__FILE__, __LINE__, "%s: %s", path, error.message);
}

void recovering_refuse(const char *path, int code, const char *why)
{
	struct syc_recovered recovered;
	struct syscap_error error = { .message = "" };

	CHECK_EQ(syc_recover(path, false, &recovered, &error), -code);
	CHECK_EQ(error.code, code);
	if (strstr(error.message, why) == NULL)
		test_fail(__FILE__, __LINE__, "'%s' is not in '%s'", why,
		          error.message);
}

void recovering_check_marks(const struct make_rings *r)
{
	struct make_rings_found found;

	make_rings_find(r->capture_path, &found);
	CHECK_EQ(found.end, 0);
	CHECK_EQ(found.marks, r->n_marks);
	CHECK(found.is_each_once);
	CHECK_EQ(found.lost, 3);
	CHECK_EQ(found.losses, 1);
}

void recovering_check_done(const struct make_rings *r)
{
	struct make_rings_found found;
	struct syc_recovered recovered;

	recovering_check_marks(r);
	make_rings_find(r->capture_path, &found);
	CHECK_EQ(found.merged, 0);
	CHECK_EQ(found.end_time, 5000 + 10 * (r->n_marks - 1) + 3);
	CHECK(!recovering_is_there(r->path));
	recovering_run(r->capture_path, &recovered);
	CHECK(!recovered.had_rings && recovered.cut == 0 &&
	      !recovered.made_end);
}

bool recovering_run_until(const char *path, int n, bool half)
{
	struct syc_recovered recovered;
	int status;

	fflush(NULL);
	const pid_t pid = fork();
	if (pid == 0) {
		calls_left = n;
		writes_half = half;
		_exit(syc_recover(path, false, &recovered, NULL) == 0 ? 0 : 1);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == KILLED);
	return WEXITSTATUS(status) == KILLED;
}
