/* SPDX-License-Identifier: BSD-2-Clause */
/* test_trace_file.c - several processes append to one capture, and die. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap/format.h>

#include "harness/test.h"
#include "session/trace_frames.h"

static struct frames_writer writer, other;
static struct frames_seen seen;

static struct syscap_wire_file read_header(int fd)
{
	struct syscap_wire_file header;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const int again = open(path, O_RDONLY | O_CLOEXEC);
	CHECK_EQ(pread(again, &header, sizeof(header), 0), sizeof(header));
	close(again);
	return header;
}

static uint64_t read_mark(int fd)
{
	const struct syscap_wire_file header = read_header(fd);
	uint64_t end;

	CHECK_EQ(memcmp((const char *)&header + 240, "SCBATCH1", 8), 0);
	memcpy(&end, (const char *)&header + 248, sizeof(end));
	return end;
}

/* ---------------------------------------------------------- ways to open */

static void check_descriptor(int fd)
{
	const int flags = fcntl(fd, F_GETFL);

	memset(&writer, 0, sizeof(writer));
	memset(&other, 0, sizeof(other));
	frames_open(&writer, 1, fd);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(frames_write(&writer, 10, 0), 0);
	frames_open(&other, 2, fd);
	CHECK_EQ(frames_write(&other, 10, 0), 0);
	CHECK_EQ(frames_write(&writer, 10, 0), 0);
	frames_look_whole(fd, &seen);
	CHECK_EQ(seen.writers[1], 40);
	CHECK_EQ(seen.writers[2], 10);
	CHECK_EQ(read_mark(fd), frames_size(fd));
	/* Other users of the fd are not affected */
	CHECK_EQ(fcntl(fd, F_GETFL), flags);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), 0);
	syc_trace_close(&writer.trace);
	syc_trace_close(&other.trace);
	close(fd);
}

TEST(files_are_written_in_every_open_mode)
{
	check_descriptor(frames_make_file(O_WRONLY));
	check_descriptor(frames_make_file(O_WRONLY | O_APPEND));
	check_descriptor(frames_make_file(O_RDWR));
	check_descriptor(frames_make_file(O_RDWR | O_APPEND | O_NONBLOCK));
	check_descriptor(memfd_create("test", MFD_CLOEXEC));
}

/* time() may lag behind the header's clock by a tick. */
static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec;
}

TEST(the_header_has_begin_and_end_times)
{
	const int fd = frames_make_file(O_WRONLY);
	const int64_t before = frames_in_ms(0);
	struct syscap_wire_file header;
	char text[64];
	time_t now;

	frames_open(&writer, 1, fd);
	do {
		now = seconds();
		CHECK_EQ(ftruncate(fd, 0), 0);
		CHECK_EQ(frames_write(&writer, 1, 0), 0);
	} while (seconds() != now);
	header = read_header(fd);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
	CHECK_STR(header.capture_time, text);
	CHECK(header.time >= before && header.time <= frames_in_ms(0));
	CHECK_EQ(header.end_time, 0);
	CHECK_EQ(header.last_frame_index, 0);
	CHECK_EQ(frames_write(&writer, 1, 0), 0);
	CHECK_EQ(read_header(fd).end_time, 0);
	writer.trace.end_time = 1;
	CHECK_EQ(frames_write(&writer, 1, 0), 0);
	CHECK(read_header(fd).end_time > header.time);
	CHECK_EQ(read_header(fd).time, header.time);
	syc_trace_close(&writer.trace);
	close(fd);
}

TEST(the_end_time_never_goes_back)
{
	const int fd = frames_make_file(O_RDWR);
	const int64_t later = INT64_C(1) << 60;
	unsigned char frame[40];
	struct syc_batch batch = {
		.frames = frame, .size = sizeof(frame), .time = 5, .now = 7
	};

	frames_open(&writer, 1, fd);
	CHECK_EQ(frames_write(&writer, 1, 0), 0);
	CHECK_EQ(pwrite(fd, &later, sizeof(later), 80), sizeof(later));
	frames_open(&other, 2, fd);
	frames_fill(frame, 2, 0, sizeof(frame));
	CHECK_EQ(syc_trace_write(&other.trace, &batch), 0);
	CHECK_EQ(read_header(fd).end_time, later);
	frames_fill(frame, 2, 1, sizeof(frame));
	batch.now = later + 1;
	CHECK_EQ(syc_trace_write(&other.trace, &batch), 0);
	CHECK_EQ(read_header(fd).end_time, later + 1);
	syc_trace_close(&writer.trace);
	syc_trace_close(&other.trace);
	close(fd);
}

/* ------------------------------------------------------------- several */

static void write_from_processes(const int *fds, unsigned n_fds)
{
	enum {
		PROCESSES = 6,
		BATCHES = 60,
		FRAMES = 30
	};
	pid_t pids[PROCESSES];

	for (unsigned i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		if (pids[i] != 0)
			continue;
		frames_open(&writer, i, fds[i % n_fds]);
		for (unsigned k = 0; k < BATCHES; k++)
			CHECK_EQ(frames_write(&writer, FRAMES, 20000), 0);
		_exit(0);
	}
	for (unsigned i = 0; i < PROCESSES; i++)
		frames_reap(pids[i]);
	frames_look_whole(fds[0], &seen);
	for (unsigned i = 0; i < PROCESSES; i++)
		CHECK_EQ(seen.writers[i], BATCHES * FRAMES);
	CHECK_EQ(read_mark(fds[0]), frames_size(fds[0]));
}

TEST(processes_share_a_file_that_was_opened_twice)
{
	char path[] = "/tmp/syscap-trace-XXXXXX";
	int fds[3];

	fds[0] = mkstemp(path);
	fds[1] = open(path, O_WRONLY | O_APPEND);
	fds[2] = open(path, O_WRONLY);
	unlink(path);
	write_from_processes(fds, 3);
	for (unsigned i = 0; i < 3; i++)
		close(fds[i]);
}

TEST(processes_share_a_memfd)
{
	const int fd = memfd_create("test", MFD_CLOEXEC);

	write_from_processes(&fd, 1);
	close(fd);
}

/* -------------------------------------------------------------- torn tails */

/* A capture of 20 frames whose last one is cut @n bytes before its end. */
static int make_torn(unsigned n, bool has_mark)
{
	const int fd = frames_make_file(O_RDWR);
	static const char nothing[16];

	memset(&writer, 0, sizeof(writer));
	memset(&other, 0, sizeof(other));
	frames_open(&writer, 1, fd);
	CHECK_EQ(frames_write(&writer, 5, 0), 0);
	CHECK_EQ(frames_write(&writer, 15, 0), 0);
	CHECK_EQ(ftruncate(fd, (off_t)frames_size(fd) - n), 0);
	if (!has_mark)
		CHECK_EQ(pwrite(fd, nothing, 16, 240), 16);
	return fd;
}

TEST(a_torn_frame_is_cut_before_anything_is_added)
{
	const uint32_t last = frames_length(1, 19, 400);

	for (unsigned n = 1; n < last; n++) {
		const int fd = make_torn(n, n % 2 == 0);

		frames_look_at_file(fd, &seen);
		CHECK_EQ(seen.writers[1], 19);
		CHECK(seen.torn_at != 0);
		frames_open(&other, 2, fd);
		CHECK_EQ(frames_write(&other, 3, 0), 0);
		frames_look_whole(fd, &seen);
		CHECK_EQ(seen.writers[1], 19);
		CHECK_EQ(seen.writers[2], 3);
		/* The truncated writer continues after the other writers */
		writer.next = 19;
		CHECK_EQ(frames_write(&writer, 3, 0), 0);
		frames_look_whole(fd, &seen);
		CHECK_EQ(seen.writers[1], 22);
		CHECK_EQ(read_mark(fd), frames_size(fd));
		syc_trace_close(&writer.trace);
		syc_trace_close(&other.trace);
		close(fd);
	}
}

TEST(a_torn_header_is_written_again)
{
	static const unsigned sizes[] = { 8, 24, 100, 255 };

	for (unsigned i = 0; i < 4; i++) {
		const int fd = make_torn(1, true);

		CHECK_EQ(ftruncate(fd, sizes[i]), 0);
		frames_open(&other, 2, fd);
		CHECK_EQ(frames_write(&other, 3, 0), 0);
		frames_look_whole(fd, &seen);
		CHECK_EQ(seen.total, 3);
		syc_trace_close(&writer.trace);
		syc_trace_close(&other.trace);
		close(fd);
	}
}

TEST(bytes_of_other_writers_are_never_cut)
{
	static const char text[] = "warning: 1 of 2 steps failed\n";
	/* the length from 'h' and 'e' is 25960 */
	static const char frame_like[] = "hello, this is no frame either\n";
	static const char nothing[64];
	static const struct {
		const char *bytes;
		size_t size;
	} tails[] = { { text, 20 },       { text, 29 },      { nothing, 8 },
		      { nothing, 24 },    { nothing, 64 },   { "ab", 2 },
		      { frame_like, 17 }, { frame_like, 31 } };

	for (unsigned i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		const int fd = make_torn(0, i % 2 == 0);
		const uint64_t size = frames_size(fd);

		CHECK_EQ(pwrite(fd, tails[i].bytes, tails[i].size, (off_t)size),
		         tails[i].size);
		frames_open(&other, 2, fd);
		CHECK_EQ(frames_write(&other, 3, 0), -EBADMSG);
		CHECK_EQ(frames_write(&writer, 3, 0), -EBADMSG);
		CHECK_EQ(frames_size(fd), size + tails[i].size);
		syc_trace_close(&writer.trace);
		syc_trace_close(&other.trace);
		close(fd);
	}
}

TEST(a_file_that_is_no_longer_a_capture_is_not_changed)
{
	const int fd = make_torn(0, true);

	CHECK_EQ(ftruncate(fd, 0), 0);
	CHECK_EQ(pwrite(fd, "#!/bin/sh\necho a\n", 17, 0), 17);
	CHECK_EQ(frames_write(&writer, 3, 0), -EBADMSG);
	CHECK_EQ(frames_size(fd), 17);
	syc_trace_close(&writer.trace);
	close(fd);
}

TEST(a_file_that_was_emptied_becomes_a_capture_again)
{
	const int fd = make_torn(0, true);

	CHECK_EQ(ftruncate(fd, 0), 0);
	writer.next = 0;
	CHECK_EQ(frames_write(&writer, 3, 0), 0);
	frames_look_whole(fd, &seen);
	CHECK_EQ(seen.total, 3);
	/* The writer also continues after another writer has truncated the file
	 * and written more */
	frames_open(&other, 2, fd);
	CHECK_EQ(ftruncate(fd, 0), 0);
	CHECK_EQ(frames_write(&other, 300, 0), 0);
	writer.next = 0;
	CHECK_EQ(frames_write(&writer, 3, 0), 0);
	frames_look_whole(fd, &seen);
	CHECK_EQ(seen.writers[1], 3);
	CHECK_EQ(seen.writers[2], 300);
	syc_trace_close(&writer.trace);
	syc_trace_close(&other.trace);
	close(fd);
}

TEST(a_mark_that_lies_outside_is_not_believed)
{
	static const uint64_t ends[] = { 0, 8, 255, 257, 1 << 30, UINT64_MAX };

	for (unsigned i = 0; i < 6; i++) {
		const int fd = make_torn(16, true);

		CHECK_EQ(pwrite(fd, &ends[i], 8, 248), 8);
		frames_open(&other, 2, fd);
		CHECK_EQ(frames_write(&other, 3, 0), 0);
		frames_look_whole(fd, &seen);
		CHECK_EQ(seen.total, 22);
		syc_trace_close(&writer.trace);
		syc_trace_close(&other.trace);
		close(fd);
	}
}

TEST(a_capture_of_another_writer_is_gone_on_with)
{
	const int fd = make_torn(8, true);
	struct syscap_wire_file header;

	/* Another library uses these bytes of the header */
	CHECK_EQ(pwrite(fd, "something else..", 16, 240), 16);
	for (int i = 0; i < 2; i++) {
		frames_open(&other, 2 + (unsigned)i, fd);
		CHECK_EQ(frames_write(&other, 3, 0), 0);
		CHECK_EQ(frames_write(&other, 3, 0), 0);
		syc_trace_close(&other.trace);
	}
	frames_look_whole(fd, &seen);
	CHECK_EQ(seen.total, 19 + 12);
	header = read_header(fd);
	CHECK_EQ(memcmp((char *)&header + 240, "something else..", 16), 0);
	syc_trace_close(&writer.trace);
	close(fd);
}

static void look_for_end(const char *mark)
{
	const int fd = frames_make_file(O_RDWR);
	unsigned tries = 1;

	memset(&writer, 0, sizeof(writer));
	memset(&other, 0, sizeof(other));
	frames_open(&writer, 1, fd);
	CHECK_EQ(frames_write(&writer, 20000, 0), 0);
	CHECK_EQ(pwrite(fd, mark, 16, 240), 16);
	const uint64_t size = frames_size(fd);
	frames_open(&other, 2, fd);
	while (frames_write(&other, 3, 0) == -EAGAIN) {
		CHECK_EQ(frames_size(fd), size);
		tries++;
	}
	CHECK(tries > 10 && tries <= size / 65000 + 2);
	frames_look_whole(fd, &seen);
	CHECK_EQ(seen.writers[2], 3);
	syc_trace_close(&writer.trace);
	syc_trace_close(&other.trace);
	close(fd);
}

TEST(looking_for_the_end_of_a_long_capture_stops_at_the_deadline)
{
	static const char nothing[16];

	look_for_end(nothing);
	look_for_end("something else..");
}

/* ------------------------------------------------------------------ no room */

TEST(a_file_size_limit_is_survived_and_leaves_whole_frames)
{
	const int fd = frames_make_file(O_RDWR);
	const struct rlimit low = { 100000, RLIM_INFINITY };
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };

	frames_open(&writer, 1, fd);
	CHECK_EQ(frames_write(&writer, 100, 0), 0);
	setrlimit(RLIMIT_FSIZE, &low);
	const uint64_t size = frames_size(fd);
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(frames_write(&writer, 1000, 0), -EFBIG);
		CHECK_EQ(frames_size(fd), size);
		CHECK_EQ(writer.next, 100);
	}
	CHECK_EQ(frames_write(&writer, 10, 0), 0);
	setrlimit(RLIMIT_FSIZE, &none);
	CHECK_EQ(frames_write(&writer, 1000, 0), 0);
	frames_look_whole(fd, &seen);
	CHECK_EQ(seen.total, 1110);
	syc_trace_close(&writer.trace);
	close(fd);
}

TEST(a_limit_below_the_header_leaves_an_empty_file)
{
	const int fd = frames_make_file(O_RDWR);
	const struct rlimit low = { 100, RLIM_INFINITY };
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };

	frames_open(&writer, 1, fd);
	setrlimit(RLIMIT_FSIZE, &low);
	CHECK_EQ(frames_write(&writer, 10, 0), -EFBIG);
	CHECK_EQ(frames_size(fd), 0);
	setrlimit(RLIMIT_FSIZE, &none);
	CHECK_EQ(frames_write(&writer, 10, 0), 0);
	frames_look_whole(fd, &seen);
	syc_trace_close(&writer.trace);
	close(fd);
}

static void become_private(void)
{
	if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		SKIP("only root can mount");
}

TEST(a_full_disk_leaves_whole_frames_and_is_written_once_there_is_room)
{
	char dir[] = "/tmp/syscap-full-XXXXXX";
	int fd, filler;

	become_private();
	CHECK(mkdtemp(dir) != NULL);
	CHECK_EQ(mount("none", dir, "tmpfs", 0, "size=256k"), 0);
	CHECK_EQ(chdir(dir), 0);
	fd = open("capture", O_WRONLY | O_CREAT | O_APPEND, 0600);
	filler = open("filler", O_WRONLY | O_CREAT, 0600);
	CHECK_EQ(posix_fallocate(filler, 0, 128 << 10), 0);
	frames_open(&writer, 1, fd);
	while (frames_write(&writer, 100, 0) == 0)
		;
	const uint64_t size = frames_size(fd);
	CHECK_EQ(frames_write(&writer, 100, 0), -ENOSPC);
	CHECK_EQ(frames_size(fd), size);
	frames_look_whole(fd, &seen);
	CHECK_EQ(seen.total, writer.next);
	CHECK(seen.total >= 100);
	CHECK_EQ(ftruncate(filler, 0), 0);
	CHECK_EQ(frames_write(&writer, 100, 0), 0);
	frames_look_whole(fd, &seen);
	CHECK_EQ(seen.total, writer.next);
	syc_trace_close(&writer.trace);
	close(fd);
	close(filler);
	CHECK_EQ(chdir("/"), 0);
	umount2(dir, MNT_DETACH);
	rmdir(dir);
}

/* ------------------------------------------- fds that can't be opened anew */

static void lose_proc(void)
{
	become_private();
	CHECK_EQ(mount("none", "/proc", "tmpfs", 0, "size=4k"), 0);
}

static unsigned count_whole(int fd)
{
	const size_t size = frames_size(fd);
	void *const bytes = malloc(size);

	CHECK_EQ(pread(fd, bytes, size, 0), size);
	frames_look(bytes, size, &seen);
	free(bytes);
	CHECK_EQ(seen.torn_at, 0);
	return seen.total;
}

TEST(without_proc_a_readable_descriptor_is_written_by_all)
{
	static const int flags[] = { O_RDWR, O_RDWR | O_APPEND };

	for (unsigned i = 0; i < 2; i++) {
		const int fd = frames_make_file(flags[i]);
		unsigned char torn[400];

		if (i == 0)
			lose_proc();
		frames_open(&writer, 1, fd);
		frames_open(&other, 2, fd);
		for (unsigned k = 0; k < 10; k++) {
			CHECK_EQ(frames_write(&writer, 5, 0), 0);
			CHECK_EQ(frames_write(&writer, 5, 0), 0);
			CHECK_EQ(frames_write(&other, 5, 0), 0);
			/* The torn frame of a killed writer */
			frames_fill(torn, 3, 0, sizeof(torn));
			CHECK_EQ(pwrite(fd, torn, 1 + 40 * k,
			                (off_t)frames_size(fd)),
			         1 + 40 * k);
			CHECK_EQ(frames_write(k % 2 ? &other : &writer, 5, 0),
			         0);
		}
		CHECK_EQ(count_whole(fd), 200);
		/* The stored position is only valid for the truncated
		 * capture */
		CHECK_EQ(ftruncate(fd, 0), 0);
		other.next = 0;
		CHECK_EQ(frames_write(&other, 400, 0), 0);
		writer.next = 0;
		CHECK_EQ(frames_write(&writer, 5, 1000), 0);
		CHECK_EQ(count_whole(fd), 405);
		syc_trace_close(&writer.trace);
		syc_trace_close(&other.trace);
		memset(&writer, 0, sizeof(writer));
		memset(&other, 0, sizeof(other));
		close(fd);
	}
	umount2("/proc", MNT_DETACH);
}

static void become_nobody(void)
{
	CHECK_EQ(setresuid(65534, 65534, 65534), 0);
	prctl(PR_SET_DUMPABLE, 1); /* /proc is readable again */
}

TEST(a_file_that_may_only_be_read_anew_is_written_by_all)
{
	const int fd = frames_make_file(O_WRONLY);
	pid_t pids[3];

	if (geteuid() != 0)
		SKIP("only root can switch to another user");
	CHECK_EQ(fchmod(fd, 0644), 0);
	for (unsigned i = 0; i < 3; i++) {
		pids[i] = fork();
		if (pids[i] != 0)
			continue;
		become_nobody();
		frames_open(&writer, i, fd);
		const int unused = dup(0);
		close(unused);
		for (unsigned k = 0; k < 50; k++)
			CHECK_EQ(frames_write(&writer, 20, 10000), 0);
		CHECK_EQ(dup(0), unused); /* no fd stays open */
		_exit(0);
	}
	for (unsigned i = 0; i < 3; i++)
		frames_reap(pids[i]);
	frames_look_whole(fd, &seen);
	CHECK_EQ(seen.total, 3000);
	close(fd);
}

TEST(without_proc_a_descriptor_that_can_t_be_read_is_one_writer_s)
{
	char path[] = "/tmp/syscap-trace-XXXXXX";
	const int reader = mkstemp(path);
	const int fd = open(path, O_WRONLY | O_APPEND);
	struct syc_trace_target target;

	unlink(path);
	lose_proc();
	frames_open(&writer, 1, fd);
	frames_open(&other, 2, fd); /* the file is still empty */
	target = other.trace.target;
	CHECK_EQ(frames_write(&writer, 5, 0), 0);
	CHECK_EQ(frames_write(&writer, 5, 0), 0);
	CHECK_EQ(frames_write(&other, 5, 0), -EACCES);
	syc_trace_close(&other.trace);
	CHECK_EQ(syc_trace_open(&other.trace, &target), -EACCES);
	CHECK(strstr(syc_trace_adopt(fd, &target), "can't be read") != NULL);
	CHECK_EQ(frames_write(&writer, 5, 0), 0);
	CHECK_EQ(count_whole(reader), 15);
	umount2("/proc", MNT_DETACH);
	syc_trace_close(&writer.trace);
	close(fd);
	close(reader);
}

/* -------------------------------------------------------------------- kills */

enum {
	KILLS = 400,
	LIVING = 4
};

static void write_until_killed(unsigned id, int fd, unsigned *acknowledged)
{
	writer.longest = 4000;
	frames_open(&writer, id, fd);
	for (unsigned i = 0; i < 24; i++) {
		CHECK_EQ(frames_write(&writer, 1 + (id + i) % 100, 10000), 0);
		__atomic_store_n(acknowledged, writer.next, __ATOMIC_RELEASE);
	}
	pause();
}

/* Is the file torn after the kill of its last writer? */
static bool is_torn(int fd)
{
	frames_look_at_file(fd, &seen);
	return seen.torn_at != 0;
}

TEST(writers_that_are_killed_tear_nothing_for_those_that_live)
{
	const int fd = memfd_create("test", MFD_CLOEXEC);
	unsigned *const acknowledged =
		mmap(NULL, FRAMES_WRITERS * sizeof(unsigned),
	             PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pids[LIVING] = { 0 };
	unsigned n_torn = 0;
	unsigned id;

	srandom((unsigned)test_seed());
	for (id = 0; id < KILLS; id++) {
		pid_t *const slot = &pids[random() % LIVING];
		const struct timespec nap = { 0, random() % 1500000 };

		nanosleep(&nap, NULL);
		if (*slot != 0) {
			kill(*slot, SIGKILL);
			waitpid(*slot, NULL, 0);
		}
		*slot = fork();
		CHECK(*slot >= 0);
		if (*slot == 0)
			write_until_killed(id, fd, &acknowledged[id]);
		if (id % 40 != 39)
			continue;
		/* Kills all writers at once, perhaps within the last frame */
		for (unsigned i = 0; i < LIVING; i++) {
			if (pids[i] != 0) {
				kill(pids[i], SIGKILL);
				waitpid(pids[i], NULL, 0);
			}
			pids[i] = 0;
		}
		n_torn += frames_size(fd) != 0 && is_torn(fd);
	}
	frames_open(&writer, 1023, fd);
	CHECK_EQ(frames_write(&writer, 1, 1000), 0);
	frames_look_whole(fd, &seen);
	for (id = 0; id < KILLS; id++)
		CHECK(seen.writers[id] >= acknowledged[id]);
	fprintf(stderr, "%u frames, %llu bytes, %u of 10 times torn\n",
	        seen.total, (unsigned long long)frames_size(fd), n_torn);
	munmap(acknowledged, FRAMES_WRITERS * sizeof(unsigned));
	syc_trace_close(&writer.trace);
	close(fd);
}
