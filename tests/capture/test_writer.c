/* SPDX-License-Identifier: BSD-2-Clause */
/* test_writer.c - captures are written in whole frames, or not at all. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/writer.h"
#include "harness/test.h"

static char path[] = "/tmp/test_writer.XXXXXX";
static struct syscap_error error;

static void make_file(const char *content, size_t size)
{
	const int fd = mkstemp(path);

	CHECK(fd >= 0);
	CHECK_EQ(write(fd, content, size), size);
	close(fd);
}

static struct syscap_wire_file read_header(void)
{
	struct syscap_wire_file header;
	FILE *file = fopen(path, "rb");

	CHECK(file != NULL);
	CHECK_EQ(fread(&header, sizeof(header), 1, file), 1);
	fclose(file);
	return header;
}

static long size_of(void)
{
	struct stat st;

	CHECK_EQ(stat(path, &st), 0);
	return (long)st.st_size;
}

static void add(struct syc_writer *writer, uint16_t len)
{
	static union {
		struct syscap_wire_frame frame;
		unsigned char bytes[SYSCAP_FRAME_MAX];
	} f;

	memset(&f, 0, sizeof(f));
	f.frame.len = len;
	f.frame.type = SYSCAP_FRAME_TIMESTAMP;
	syc_writer_add(writer, &f);
}

/* Whole frames from the header to the end; how many. */
static unsigned count_frames(void)
{
	FILE *file = fopen(path, "rb");
	unsigned frames = 0;
	uint16_t len;
	long at = 256;

	CHECK(file != NULL);
	while (fseek(file, at, SEEK_SET) == 0 &&
	       fread(&len, sizeof(len), 1, file) == 1) {
		CHECK(len >= 24 && len % 8 == 0);
		at += len;
		frames++;
	}
	fclose(file);
	CHECK_EQ(at, size_of());
	return frames;
}

TEST(a_new_file_gets_a_header_and_frames)
{
	struct syc_writer_totals totals;
	struct syc_writer *writer;
	struct syscap_wire_file header;

	make_file("", 0);
	CHECK_EQ(syc_writer_open(path, false, &writer, &error), 0);
	CHECK_EQ(syc_writer_begin(writer, 1234, &error), 0);
	header = read_header();
	CHECK_EQ(header.magic, SYSCAP_MAGIC);
	CHECK_EQ(header.version, 1);
	CHECK_EQ(header.little_endian, 1);
	CHECK_EQ(header.time, 1234);
	CHECK_EQ(header.end_time, 0);
	CHECK_EQ(strlen(header.capture_time), 20);
	for (unsigned i = 0; i < 50000; i++)
		add(writer, (uint16_t)(24 + i % 5 * 8));
	CHECK_EQ(syc_writer_finish(writer, 5678), 0);
	syc_writer_totals(writer, &totals);
	CHECK_EQ(totals.frames, 50000);
	CHECK_EQ(totals.bytes, size_of());
	CHECK_EQ(totals.dropped, 0);
	syc_writer_close(writer);
	CHECK_EQ(count_frames(), 50000);
	CHECK_EQ(read_header().end_time, 5678);
	unlink(path);
}

TEST(somebodys_file_is_left_alone)
{
	static const char text[] = "dear diary";
	struct syc_writer *writer;
	char now[sizeof(text)] = "";
	int fd;

	make_file(text, sizeof(text));
	CHECK_EQ(syc_writer_open(path, false, &writer, &error), -EEXIST);
	CHECK_STR(error.message, "it exists and is not a capture");
	/* Also when it was forced, as long as nothing was written. */
	CHECK_EQ(syc_writer_open(path, true, &writer, &error), 0);
	syc_writer_close(writer);
	fd = open(path, O_RDONLY);
	CHECK_EQ(read(fd, now, sizeof(now)), sizeof(now));
	close(fd);
	CHECK_STR(now, text);
	CHECK_EQ(syc_writer_open(path, true, &writer, &error), 0);
	CHECK_EQ(syc_writer_begin(writer, 1, &error), 0);
	syc_writer_close(writer);
	CHECK_EQ(size_of(), 256);
	unlink(path);
}

TEST(an_old_capture_is_replaced)
{
	static char old[5000] = "\x5e\x97\xca\xfd\x01";
	struct syc_writer *writer;

	make_file(old, sizeof(old));
	CHECK_EQ(syc_writer_open(path, false, &writer, &error), 0);
	CHECK_EQ(size_of(), 5000);
	CHECK_EQ(syc_writer_begin(writer, 1, &error), 0);
	CHECK_EQ(syc_writer_finish(writer, 2), 0);
	syc_writer_close(writer);
	CHECK_EQ(size_of(), 256);
	unlink(path);
}

TEST(a_file_that_was_made_for_nothing_is_removed)
{
	struct syc_writer *writer;
	struct stat st;

	make_file("", 0);
	unlink(path);
	CHECK_EQ(syc_writer_open(path, false, &writer, &error), 0);
	CHECK_EQ(stat(path, &st), 0);
	CHECK_EQ(st.st_mode & 07133, 0);
	syc_writer_close(writer);
	CHECK_EQ(stat(path, &st), -1);
	CHECK_EQ(errno, ENOENT);
}

TEST(two_writers_do_not_share_a_file)
{
	struct syc_writer *writer, *second;

	make_file("", 0);
	CHECK_EQ(syc_writer_open(path, false, &writer, &error), 0);
	CHECK_EQ(syc_writer_open(path, true, &second, &error), -EBUSY);
	syc_writer_close(writer);
	unlink(path);
}

TEST(a_full_disk_ends_the_file_at_a_whole_frame)
{
	const struct rlimit limit = { 100001, 100001 };
	struct syc_writer_totals totals;
	struct syc_writer *writer;

	make_file("", 0);
	signal(SIGXFSZ, SIG_IGN);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	CHECK_EQ(syc_writer_open(path, false, &writer, &error), 0);
	CHECK_EQ(syc_writer_begin(writer, 1, &error), 0);
	for (unsigned i = 0; i < 2000; i++)
		add(writer, 104);
	CHECK_EQ(syc_writer_flush(writer), -EFBIG);
	add(writer, 104);
	CHECK_EQ(syc_writer_flush(writer), -EFBIG);
	syc_writer_totals(writer, &totals);
	CHECK_EQ(totals.frames, (100001 - 256) / 104);
	CHECK_EQ(totals.dropped, 2001 - totals.frames);
	CHECK_EQ(syc_writer_finish(writer, 99), -EFBIG);
	syc_writer_close(writer);
	CHECK_EQ(count_frames(), totals.frames);
	CHECK_EQ(read_header().end_time, 99);
	unlink(path);
}

static void *read_slowly(void *arg)
{
	static unsigned char bytes[1 << 20];
	const int fd = open(path, O_RDONLY);
	size_t sum = 0;
	ssize_t n;

	(void)arg;
	while ((n = read(fd, bytes, 3001)) > 0) {
		sum += (size_t)n;
		if (sum % 7 == 0)
			usleep(100);
	}
	close(fd);
	return (void *)sum;
}

TEST(a_pipe_gets_every_byte_once)
{
	struct syc_writer *writer;
	pthread_t reader;
	void *sum;

	make_file("", 0);
	unlink(path);
	CHECK_EQ(mkfifo(path, 0600), 0);
	CHECK_EQ(pthread_create(&reader, NULL, read_slowly, NULL), 0);
	CHECK_EQ(syc_writer_open(path, false, &writer, &error), 0);
	CHECK_EQ(syc_writer_begin(writer, 1, &error), 0);
	for (unsigned i = 0; i < 3000; i++)
		add(writer, 1000);
	syc_writer_finish(writer, 99);
	syc_writer_close(writer);
	CHECK_EQ(pthread_join(reader, &sum), 0);
	CHECK_EQ((size_t)sum, 256 + 3000 * 1000);
	unlink(path);
}
