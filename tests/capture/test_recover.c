/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_recover.c - each frame in the rings of a killed process arrives in its
 * capture once, also if recoveries are killed at any time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/recover.h"
#include "capture/recovering.h"
#include "harness/test.h"

TEST(frames_in_rings_are_moved_and_rings_removed)
{
	struct syc_recovered recovered;
	struct make_rings r;

	recovering_begin(&r);
	make_rings_write(&r, NULL, 0);
	recovering_run(r.capture_path, &recovered);
	CHECK(recovered.had_rings && recovered.made_end);
	CHECK_EQ(recovered.frames, 11);
	CHECK_EQ(recovered.bad, 0);
	CHECK_EQ(recovered.cut, 0);
	recovering_check_done(&r);
	recovering_end(&r);
}

TEST(a_batch_torn_at_any_byte_is_recovered)
{
	struct syc_recovered recovered;
	unsigned char *batch;
	struct make_rings r;
	size_t size;

	recovering_begin(&r);
	batch = make_rings_batch(&r, &size);
	make_rings_mark(&r, 1);
	for (size_t n = 0; n <= size; n += n + 3 < size ? 3 : 1) {
		make_rings_write(&r, batch, n);
		recovering_run(r.capture_path, &recovered);
		CHECK_EQ(recovered.frames, n < size ? 12 : 2);
		recovering_check_done(&r);
	}
	free(batch);
	recovering_end(&r);
}

TEST(a_dry_run_changes_nothing)
{
	struct syc_recovered recovered;
	struct make_rings r;
	struct stat before[2], after[2];

	recovering_begin(&r);
	make_rings_write(&r, NULL, 0);
	CHECK_EQ(stat(r.capture_path, &before[0]), 0);
	CHECK_EQ(stat(r.path, &before[1]), 0);
	CHECK_EQ(syc_recover(r.capture_path, true, &recovered, NULL), 0);
	CHECK_EQ(recovered.frames, 11);
	CHECK_EQ(syc_recover(r.path, true, &recovered, NULL), 0);
	CHECK_EQ(recovered.frames, 11);
	CHECK_EQ(stat(r.capture_path, &after[0]), 0);
	CHECK_EQ(stat(r.path, &after[1]), 0);
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(before[i].st_mtim.tv_nsec, after[i].st_mtim.tv_nsec);
		CHECK_EQ(before[i].st_size, after[i].st_size);
	}
	recovering_end(&r);
}

static void end_at_each_call(struct make_rings *r, const void *torn,
                             size_t torn_size, const char *path)
{
	struct syc_recovered recovered;

	for (int half = 0; half < 2; half++) {
		int n = 0;

		for (bool goes_on = true; goes_on; n++) {
			make_rings_write(r, torn, torn_size);
			goes_on = recovering_run_until(path, n, half != 0);
			recovering_check_marks(r);
			/* the second recovery is killed at another call */
			if (recovering_run_until(r->capture_path, n / 2,
			                         half == 0))
				recovering_check_marks(r);
			recovering_run(r->capture_path, &recovered);
			recovering_check_done(r);
		}
		CHECK(n > 6);
	}
}

TEST(recovery_killed_at_any_call_is_resumed)
{
	struct make_rings r;
	unsigned char *batch;
	size_t size;

	recovering_begin(&r);
	end_at_each_call(&r, NULL, 0, r.capture_path);
	end_at_each_call(&r, NULL, 0, r.path);
	batch = make_rings_batch(&r, &size);
	make_rings_mark(&r, 2);
	end_at_each_call(&r, batch, 0, r.capture_path);
	end_at_each_call(&r, batch, size / 2, r.capture_path);
	end_at_each_call(&r, batch, size, r.capture_path);
	free(batch);
	recovering_end(&r);
}

TEST(a_full_disk_leaves_the_capture_as_it_was)
{
	struct make_rings_found found;
	struct syc_recovered recovered;
	struct make_rings r;
	struct stat st;

	recovering_begin(&r);
	for (long more = 0; more < 900; more += 37) {
		make_rings_write(&r, NULL, 0);
		recovering_room = (long)r.capture.size + more;
		recovering_refuse(r.capture_path, ENOSPC, "ring file");
		recovering_room = -1;
		CHECK_EQ(stat(r.capture_path, &st), 0);
		CHECK_EQ(st.st_size, r.capture.size);
		make_rings_find(r.capture_path, &found);
		CHECK_EQ(found.merged, 11);
		recovering_run(r.capture_path, &recovered);
		recovering_check_done(&r);
	}
	recovering_end(&r);
}

TEST(two_recoveries_at_once_and_readers_see_each_frame_once)
{
	struct syc_recovered recovered;
	struct make_rings r;
	int status;

	recovering_begin(&r);
	for (int round = 0; round < 60; round++) {
		pid_t pids[3];

		make_rings_write(&r, NULL, 0);
		for (int i = 0; i < 3; i++) {
			pids[i] = fork();
			if (pids[i] != 0)
				continue;
			for (int n = 0; i == 2 && n < 8; n++)
				recovering_check_marks(&r);
			if (i < 2) {
				const int e = syc_recover(r.capture_path, false,
				                          &recovered, NULL);
				_exit(e == 0 || e == -EBUSY ? 0 : 1);
			}
			_exit(0);
		}
		for (int i = 0; i < 3; i++) {
			CHECK_EQ(waitpid(pids[i], &status, 0), pids[i]);
			CHECK_EQ(status, 0);
		}
		recovering_check_done(&r);
	}
	recovering_end(&r);
}

TEST(living_process_is_refused)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct syc_recovered recovered;
	struct make_rings r;

	recovering_begin(&r);
	make_rings_write(&r, NULL, 0);
	const int fd = open(r.path, O_RDWR | O_CLOEXEC);
	CHECK_EQ(fcntl(fd, F_OFD_SETLK, &lock), 0);
	recovering_refuse(r.capture_path, EBUSY, "still recording");
	recovering_refuse(r.path, EBUSY, "still recording");
	close(fd);
	recovering_run(r.capture_path, &recovered);
	recovering_check_done(&r);
	recovering_end(&r);
}

TEST(frames_before_garbage_in_a_ring_are_moved)
{
	struct make_capture broken = { .data = NULL };
	struct make_rings_found found;
	struct syc_recovered recovered;
	struct make_rings r;

	recovering_begin(&r);
	make_mark(&broken, MAKE_RINGS_PID, 71, 5000, 0, "test", "m", "7000");
	make_patch_u16(&broken, 0, 100); /* no multiple of 8 */
	make_rings_add(&r, 2, &broken);
	make_rings_write(&r, NULL, 0);
	make_rings_find(r.capture_path, &found);
	CHECK_EQ(found.bad, 1);
	for (int i = 0; i < 2; i++) {
		recovering_run(r.capture_path, &recovered);
		CHECK_EQ(recovered.frames, i == 0 ? 11 : 0);
		CHECK_EQ(recovered.bad, 1);
		recovering_check_marks(&r);
		/* root may read every file */
		CHECK(recovering_is_there(r.path));
	}
	make_free(&broken);
	recovering_end(&r);
}

TEST(frame_with_bad_content_is_omitted)
{
	struct make_capture broken = { .data = NULL };
	struct syc_recovered recovered;
	struct make_rings r;

	recovering_begin(&r);
	make_mark(&broken, MAKE_RINGS_PID, 71, 5000, 0, "test", "m", "7000");
	/* the message has no end */
	memset(broken.data + 96, 'x', broken.size - 96);
	make_rings_add(&r, 2, &broken);
	make_rings_mark(&r, 2);
	make_rings_write(&r, NULL, 0);
	recovering_run(r.capture_path, &recovered);
	CHECK_EQ(recovered.frames, 12);
	CHECK_EQ(recovered.bad, 1);
	recovering_check_marks(&r);
	CHECK(recovering_is_there(r.path));
	make_free(&broken);
	recovering_end(&r);
}

/* Checks that neither file has changed. */
static void check_untouched(const struct make_rings *r, size_t torn_size)
{
	struct stat st;

	CHECK_EQ(stat(r->capture_path, &st), 0);
	CHECK_EQ(st.st_size, r->capture.size + torn_size);
	CHECK(recovering_is_there(r->path));
}

TEST(journal_that_cuts_frames_is_rejected)
{
	unsigned char *batch;
	struct make_rings r;
	size_t size;

	recovering_begin(&r);
	batch = make_rings_batch(&r, &size);
	/* offset of the last frame */
	make_rings_journal(&r)->offset = r.capture.frame;
	make_rings_write(&r, NULL, 0);
	recovering_refuse(r.capture_path, EBADMSG,
	                  "differs from the ring file's journal");
	check_untouched(&r, 0);
	free(batch);
	recovering_end(&r);
}

TEST(damaged_capture_gets_no_frames)
{
	unsigned char *batch;
	struct make_rings r;
	size_t size;

	recovering_begin(&r);
	batch = make_rings_batch(&r, &size);
	make_patch_u16(&r.capture, 0, 65528); /* looks like a torn frame */
	make_rings_write(&r, batch, size / 2);
	recovering_refuse(r.capture_path, EBADMSG, "damaged");
	check_untouched(&r, size / 2);
	free(batch);
	recovering_end(&r);
}

TEST(torn_frame_without_batch_is_cut_first)
{
	static const unsigned char torn[30000] = { 0xF8, 0xFF };
	struct syc_recovered recovered;
	struct make_rings r;

	recovering_begin(&r);
	make_rings_write(&r, torn, sizeof(torn));
	recovering_run(r.capture_path, &recovered);
	CHECK_EQ(recovered.frames, 11);
	CHECK_EQ(recovered.cut, sizeof(torn));
	CHECK_EQ(recovered.cut_at, r.capture.size);
	recovering_check_done(&r);
	recovering_end(&r);
}

/* Run @look in a process while another holds the recovery lock; @done: and
 * completes the recovery. */
static void meanwhile(struct make_rings *r, bool done,
                      void (*look)(struct make_rings *r))
{
	int status;

	make_rings_write(r, NULL, 0);
	const int fd = open(r->path, O_RDONLY | O_CLOEXEC);
	CHECK_EQ(flock(fd, LOCK_EX), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		close(fd); /* keeps only the parent's copy of the lock */
		look(r);
		_exit(0);
	}
	usleep(60000);
	CHECK_EQ(waitpid(pid, &status, WNOHANG), 0);
	if (done)
		CHECK_EQ(unlink(r->path), 0);
	close(fd);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void recover_nothing(struct make_rings *r)
{
	struct syc_recovered recovered;

	recovering_run(r->capture_path, &recovered);
	CHECK_EQ(recovered.frames, 0);
}

static void recover_all(struct make_rings *r)
{
	struct syc_recovered recovered;

	recovering_run(r->capture_path, &recovered);
	CHECK_EQ(recovered.frames, 11);
}

static void find_marks(struct make_rings *r)
{
	recovering_check_marks(r);
}

TEST(readers_and_recoveries_wait_for_a_running_one)
{
	struct make_rings r;

	recovering_begin(&r);
	meanwhile(&r, false, find_marks);
	meanwhile(&r, false, recover_all);
	meanwhile(&r, true, recover_nothing);
	recovering_end(&r);
}
