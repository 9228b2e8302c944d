/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_recover_torn.c - recovery of a file without rings. The recovery cuts
 * off half a frame at the end, and changes nothing else.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/recover.h"
#include "capture/recovering.h"
#include "harness/test.h"

static void write_bytes(const char *path, const void *bytes, size_t size)
{
	FILE *const file = fopen(path, "we");

	CHECK(file != NULL);
	CHECK_EQ(fwrite(bytes, 1, size, file), size);
	CHECK_EQ(fclose(file), 0);
}

/* Three marks; *@ret_ends: the end of each. */
static void make_three(struct make_capture *c, bool big, size_t *ret_ends)
{
	make_begin(c, big, 1000, 0);
	for (int i = 0; i < 3; i++) {
		make_mark(c, 7, 8, 1500 + i, 10, "group", "name",
		          "a longer message");
		ret_ends[i] = c->size;
	}
}

static void cut_at_each_byte(const char *path, bool big)
{
	struct syc_recovered recovered;
	struct make_rings_found found;
	struct make_capture c;
	struct stat st;
	size_t ends[3];
	/* METADATA syscap.unfinished, not in the other byte order */
	const size_t noted = big ? 0 : 80;

	make_three(&c, big, ends);
	for (size_t n = ends[0]; n <= ends[2]; n++) {
		const size_t whole = n == ends[2]  ? ends[2]
		                     : n < ends[1] ? ends[0]
		                                   : ends[1];
		write_bytes(path, c.data, n);
		CHECK_EQ(syc_recover(path, true, &recovered, NULL), 0);
		CHECK_EQ(recovered.cut, n - whole);
		CHECK_EQ(stat(path, &st), 0);
		CHECK_EQ(st.st_size, n);
		recovering_run(path, &recovered);
		CHECK_EQ(recovered.cut, n - whole);
		CHECK(n == whole || recovered.cut_at == whole);
		CHECK_EQ(stat(path, &st), 0);
		CHECK_EQ(st.st_size, whole + noted);
		make_rings_find(path, &found);
		CHECK_EQ(found.end, 0);
		/* end_time of the other byte order is unspecified */
		if (!big)
			CHECK_EQ(found.end_time, whole == ends[0]   ? 1510
			                         : whole == ends[1] ? 1511
			                                            : 1512);
		recovering_run(path, &recovered);
		CHECK(recovered.cut == 0 && !recovered.made_end);
		CHECK_EQ(stat(path, &st), 0);
		CHECK_EQ(st.st_size, whole + noted);
	}
	make_free(&c);
}

TEST(a_file_that_ends_inside_a_frame_is_cut_to_the_frame_before)
{
	char path[400];

	CHECK(mkdtemp(recovering_dir) != NULL);
	snprintf(path, sizeof(path), "%s/a", recovering_dir);
	cut_at_each_byte(path, false);
	cut_at_each_byte(path, true);
	unlink(path);
	CHECK_EQ(rmdir(recovering_dir), 0);
}

static void check_untouched(const char *path, const struct make_capture *c)
{
	char bytes[4096];
	FILE *const file = fopen(path, "re");

	CHECK(file != NULL && c->size < sizeof(bytes));
	CHECK_EQ(fread(bytes, 1, sizeof(bytes), file), c->size);
	CHECK_EQ(memcmp(bytes, c->data, c->size), 0);
	fclose(file);
}

TEST(file_damaged_before_its_end_is_unchanged)
{
	struct make_capture c;
	char path[400];
	size_t ends[3];

	CHECK(mkdtemp(recovering_dir) != NULL);
	snprintf(path, sizeof(path), "%s/a", recovering_dir);
	for (unsigned bad = 0; bad < 4; bad++) {
		static const unsigned lengths[] = { 0, 16, 100, 0xFFFF };

		make_three(&c, false, ends);
		c.frame = ends[0];
		make_patch_u16(&c, 0, lengths[bad]);
		write_bytes(path, c.data, c.size);
		recovering_refuse(path, EBADMSG, "damage");
		check_untouched(path, &c);
		make_free(&c);
	}
	unlink(path);
	CHECK_EQ(rmdir(recovering_dir), 0);
}

TEST(other_files_are_unchanged)
{
	struct make_capture c = { .data = NULL };
	char path[400];

	CHECK(mkdtemp(recovering_dir) != NULL);
	snprintf(path, sizeof(path), "%s/a", recovering_dir);
	recovering_refuse(path, ENOENT, "No such file");
	write_bytes(path, "", 0);
	recovering_refuse(path, EBADMSG, "not a capture");
	make_field(&c, "a text of another user", 1000);
	write_bytes(path, c.data, c.size);
	recovering_refuse(path, EBADMSG, "not a capture");
	check_untouched(path, &c);
	make_free(&c);
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(mkfifo(path, 0600), 0);
	recovering_refuse(path, EINVAL, "the path names no regular file");
	CHECK_EQ(unlink(path), 0);
	recovering_refuse(recovering_dir, EISDIR, "directory");
	CHECK_EQ(rmdir(recovering_dir), 0);
}

TEST(file_with_a_writer_is_unchanged)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct make_capture c;
	char path[400];
	size_t ends[3];

	CHECK(mkdtemp(recovering_dir) != NULL);
	snprintf(path, sizeof(path), "%s/a", recovering_dir);
	make_three(&c, false, ends);
	c.size -= 5;
	write_bytes(path, c.data, c.size);
	const int fd = open(path, O_RDWR | O_CLOEXEC);
	CHECK_EQ(fcntl(fd, F_OFD_SETLK, &lock), 0);
	recovering_refuse(path, EBUSY, "is writing the file");
	check_untouched(path, &c);
	close(fd);
	make_free(&c);
	unlink(path);
	CHECK_EQ(rmdir(recovering_dir), 0);
}

TEST(end_time_of_a_writer_stays)
{
	struct syc_recovered recovered;
	struct make_rings_found found;
	struct make_capture c;
	char path[400];

	CHECK(mkdtemp(recovering_dir) != NULL);
	snprintf(path, sizeof(path), "%s/a", recovering_dir);
	make_begin(&c, false, 1000, 1400); /* before the last frame's end */
	make_mark(&c, 7, 8, 1500, 10, "group", "name", "message");
	write_bytes(path, c.data, c.size);
	recovering_run(path, &recovered);
	make_rings_find(path, &found);
	CHECK_EQ(found.end_time, 1400);
	make_free(&c);
	unlink(path);
	CHECK_EQ(rmdir(recovering_dir), 0);
}
