/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_trace_untold.c - a process that ends before it can write its frames
 * into its trace file. The capture reports their number as lost.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

static const char *const trace_fd[] = { "SYSPROF_TRACE_FD=3", NULL };

static void emit(unsigned emitter, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		written_mark(emitter, i);
}

CHILD(ten)
{
	emit((unsigned)atoi(peer_arg()), 0, 10);
}

static char *path_of(int fd)
{
	static char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

/* Takes the lock, like a writer that is not scheduled for a while. */
static int begin_batch(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_len = 1 };
	const int own = open(path_of(fd), O_RDWR | O_CLOEXEC);

	CHECK(own >= 0);
	CHECK_EQ(fcntl(own, F_OFD_SETLK, &lock), 0);
	return own;
}

static void check_told(int fd, unsigned kept, unsigned lost)
{
	struct tally t;

	written_tally(path_of(fd), &t);
	CHECK_EQ(t.received, kept);
	CHECK_EQ(t.lost_marks, lost);
	CHECK_EQ(t.torn_at, 0);
	CHECK_EQ(t.unnamed, 0);
}

TEST(losses_of_a_process_that_ends_before_its_turn_are_reported)
{
	const int fd = memfd_create("trace", MFD_CLOEXEC);

	written_run("ten", "0", trace_fd, fd);
	const int batch = begin_batch(fd);
	written_run("ten", "1", trace_fd, fd);
	check_told(fd, 10, 10);
	written_run("ten", "2", trace_fd, fd);
	check_told(fd, 10, 20);
	close(batch);
	/* The next writer reports the losses in a frame */
	written_run("ten", "3", trace_fd, fd);
	check_told(fd, 20, 20);
	written_run("ten", "4", trace_fd, fd);
	check_told(fd, 30, 20);
	close(fd);
}

CHILD(ten_without_thread)
{
	emit(1, 0, 10);
}

TEST(a_process_that_writes_on_request_reports_its_losses)
{
	static const char *const env[] = { "SYSPROF_TRACE_FD=3",
		                           "SYSCAP_THREAD=0", NULL };
	const int fd = memfd_create("trace", MFD_CLOEXEC);

	written_run("ten", "0", trace_fd, fd);
	const int batch = begin_batch(fd);
	written_run("ten_without_thread", "", env, fd);
	close(batch);
	check_told(fd, 10, 10);
	close(fd);
}
