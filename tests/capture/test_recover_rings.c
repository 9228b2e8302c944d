/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_recover_rings.c - recover with a ring file, whose capture may be
 * missing, not begun, or replaced by another file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/recover.h"
#include "capture/recovering.h"
#include "harness/test.h"

TEST(ring_file_may_be_the_argument)
{
	struct syc_recovered recovered;
	struct make_rings r;

	recovering_begin(&r);
	make_rings_write(&r, NULL, 0);
	recovering_run(r.path, &recovered);
	CHECK_STR(recovered.capture, r.capture_path);
	CHECK_EQ(recovered.frames, 11);
	CHECK(!recovered.made_capture);
	recovering_check_done(&r);
	recovering_end(&r);
}

static void empty(struct make_rings *r)
{
	for (uint32_t i = 1; i < 3; i++)
		make_rings_header(r, i)->head = make_rings_header(r, i)->tail;
}

TEST(ring_file_of_another_byte_order_is_refused)
{
	struct syc_recovered recovered;
	struct make_rings r;

	recovering_begin(&r);
	make_rings_facts(&r)->version =
		__builtin_bswap32(SYC_RING_FILE_VERSION);
	make_rings_write(&r, NULL, 0);
	recovering_refuse(r.path, ENOTSUP, "byte order of another machine");
	recovering_refuse(r.capture_path, ENOTSUP, "byte order of another");
	CHECK(recovering_is_there(r.path));
	make_rings_facts(&r)->version = SYC_RING_FILE_VERSION;
	make_rings_write(&r, NULL, 0);
	recovering_run(r.capture_path, &recovered);
	CHECK_EQ(recovered.frames, 11);
	recovering_end(&r);
}

TEST(empty_ring_file_is_removed)
{
	struct syc_recovered recovered;
	struct make_rings r;

	recovering_begin(&r);
	empty(&r);
	for (int i = 0; i < 3; i++) {
		make_rings_write(&r, NULL, 0);
		/* the file is removed also without the capture ... */
		if (i > 0)
			unlink(r.capture_path);
		if (i == 2) /* ... or with another file of the capture's name */
			CHECK_EQ(symlink("/dev/null", r.capture_path), 0);
		recovering_run(r.path, &recovered);
		CHECK(!recovering_is_there(r.path));
		CHECK_EQ(recovering_is_there(r.capture_path), i != 1);
		unlink(r.capture_path);
	}
	recovering_end(&r);
}

/* Checks that the capture has each mark of the rings once. */
static void check_made_anew(const struct make_rings *r)
{
	struct make_rings_found found;

	make_rings_find(r->capture_path, &found);
	CHECK_EQ(found.end, 0);
	CHECK_EQ(found.marks, 10);
	CHECK_EQ(found.lost, 3);
	CHECK_EQ(found.merged, 0);
	CHECK(!recovering_is_there(r->path));
}

TEST(missing_capture_is_recreated_after_any_kill)
{
	struct syc_recovered recovered;
	struct make_rings r;
	size_t size;
	int n = 0;

	recovering_begin(&r);
	/* these marks are only in the lost capture */
	free(make_rings_batch(&r, &size));
	for (bool goes_on = true; goes_on; n++) {
		make_rings_write(&r, NULL, 0);
		unlink(r.capture_path);
		goes_on = recovering_run_until(r.path, n, n % 2);
		if (recovering_is_there(r.path))
			recovering_run(r.path, &recovered);
		check_made_anew(&r);
		recovering_run(r.capture_path, &recovered);
		CHECK(!recovered.had_rings);
		unlink(r.capture_path);
	}
	CHECK(n > 10);
	recovering_end(&r);
}

TEST(missing_first_frame_is_added)
{
	struct syc_recovered recovered;
	struct make_rings r;

	recovering_begin(&r);
	for (off_t size = 0; size < 340; size += 3) {
		make_rings_write(&r, NULL, 0);
		CHECK_EQ(truncate(r.capture_path, size), 0);
		recovering_run(r.path, &recovered);
		CHECK_EQ(recovered.frames, 11);
		check_made_anew(&r);
	}
	recovering_end(&r);
}

/* Make a file @path of @size zero bytes, @age seconds old. */
static void write_nothing(const char *path, off_t size, time_t age)
{
	const int fd = open(path, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600);
	const struct timespec times[2] = { { time(NULL) - age, 0 },
		                           { time(NULL) - age, 0 } };

	CHECK(fd >= 0);
	CHECK_EQ(ftruncate(fd, size), 0);
	CHECK_EQ(futimens(fd, times), 0);
	close(fd);
}

TEST(unbegun_ring_file_is_removed)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct syc_recovered recovered;
	struct make_rings r;
	const uint32_t tail = 64;

	recovering_begin(&r);
	for (int i = 0; i < 2; i++) {
		write_nothing(r.path, i == 0 ? 0 : (off_t)r.size, 60);
		CHECK_EQ(syc_recover(r.path, true, &recovered, NULL), 0);
		CHECK(recovering_is_there(r.path));
		recovering_run(r.path, &recovered);
		CHECK(recovered.had_rings);
		CHECK(!recovering_is_there(r.path));
	}
	/* discarding is refused while a process may be using the file, */
	write_nothing(r.path, (off_t)r.size, 0);
	recovering_refuse(r.path, EBADMSG, "not a capture");
	write_nothing(r.path, (off_t)r.size, 60);
	const int fd = open(r.path, O_RDWR | O_CLOEXEC);
	CHECK_EQ(fcntl(fd, F_OFD_SETLK, &lock), 0);
	recovering_refuse(r.path, EBUSY, "is opening the ring file");
	close(fd);
	/* and if the file is not empty, or has another name than a ring file */
	const int again = open(r.path, O_RDWR | O_CLOEXEC);
	CHECK_EQ(pwrite(again, &tail, 4,
	                syc_ring_file_front(MAKE_RINGS_PAGE) + 4),
	         4);
	close(again);
	CHECK_EQ(utimensat(AT_FDCWD, r.path,
	                   (const struct timespec[2]){ { 1, 0 }, { 1, 0 } }, 0),
	         0);
	recovering_refuse(r.path, EBADMSG, "not a capture");
	write_nothing(r.capture_path, (off_t)r.size, 60);
	recovering_refuse(r.capture_path, EBADMSG, "not a capture");
	CHECK(recovering_is_there(r.capture_path));
	recovering_end(&r);
}

TEST(foreign_file_of_the_same_name_is_unchanged)
{
	struct make_rings r;
	struct stat st;

	recovering_begin(&r);
	char other[400];

	make_rings_write(&r, NULL, 0);
	snprintf(other, sizeof(other), "%s.other", r.capture_path);
	const int fd = open(other, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	CHECK_EQ(rename(other, r.capture_path), 0);
	recovering_refuse(r.path, EEXIST,
	                  "is not the capture of this ring file");
	CHECK_EQ(fstat(fd, &st), 0);
	CHECK_EQ(st.st_size, 0);
	CHECK(recovering_is_there(r.path));
	close(fd);
	recovering_end(&r);
}

TEST(rings_of_a_copied_capture_stay)
{
	struct syc_recovered recovered;
	struct make_rings r;
	char copy[400], command[900];

	recovering_begin(&r);
	make_rings_write(&r, NULL, 0);
	snprintf(copy, sizeof(copy), "%s.copy", r.capture_path);
	snprintf(command, sizeof(command), "cp %s %s", r.capture_path, copy);
	CHECK_EQ(system(command), 0);
	recovering_run(copy, &recovered);
	CHECK(strstr(recovered.left_alone, "perhaps a copy") != NULL);
	CHECK(!recovered.had_rings);
	CHECK(recovering_is_there(r.path));
	unlink(copy);
	recovering_run(r.capture_path, &recovered);
	recovering_check_done(&r);
	recovering_end(&r);
}

TEST(root_does_not_mix_the_files_of_two_users)
{
	struct syc_recovered recovered;
	struct make_rings r;

	if (geteuid() != 0)
		SKIP("only root can change the owner of a file");
	recovering_begin(&r);
	make_rings_write(&r, NULL, 0);
	CHECK_EQ(chown(r.path, 4711, 4711), 0);
	recovering_refuse(r.path, EEXIST,
	                  "is not the capture of this ring file");
	recovering_run(r.capture_path, &recovered);
	CHECK(recovered.left_alone[0] != '\0' && !recovered.had_rings);
	unlink(r.capture_path);
	recovering_refuse(r.path, EPERM, "only the ring file's owner");
	CHECK(!recovering_is_there(r.capture_path));
	recovering_end(&r);
}
