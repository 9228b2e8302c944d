/* SPDX-License-Identifier: BSD-2-Clause */
/* test_writer.c - captures are written in whole frames only. */
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

#include "base/loss_record.h"
#include "capture/losses.h"
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

/* Number of frames up to the end, all complete. */
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
	CHECK_EQ(header.little_endian,
	         __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
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

TEST(foreign_file_is_unchanged)
{
	static const char text[] = "dear diary";
	struct syc_writer *writer;
	char now[sizeof(text)] = "";
	int fd;

	make_file(text, sizeof(text));
	CHECK_EQ(syc_writer_open(path, false, &writer, &error), -EEXIST);
	CHECK_STR(error.message,
	          "the file exists and is not a capture; choose another name");
	/* Even with force, the file is unchanged before the first write. */
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

TEST(unbegun_file_is_removed)
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

/* The loss record that a reader finds at the end of the file. */
static struct syc_loss read_loss(int64_t *ret_from, int64_t *ret_to)
{
	struct syscap_reader *reader;
	struct syscap_frame frame;
	struct syc_loss loss = { .total = 0 };
	int r;

	CHECK_EQ(syscap_reader_open(path, &reader, &error), 0);
	while ((r = syscap_reader_next(reader, &frame, &error)) > 0) {
		CHECK_EQ(loss.total, 0); /* the loss record is the last frame */
		if (frame.type != SYSCAP_FRAME_MARK)
			continue;
		CHECK_STR(frame.mark.name, "lost");
		CHECK(syc_loss_record_parse(frame.mark.message, &loss));
		*ret_from = frame.time;
		*ret_to = frame.time + frame.mark.duration;
	}
	CHECK_EQ(r, 0);
	syscap_reader_close(reader);
	return loss;
}

static void add_of(struct syc_writer *writer, unsigned type, int64_t time)
{
	union {
		struct syscap_wire_frame frame;
		unsigned char bytes[128];
	} f = { .frame = { .len = 128, .time = time, .type = (uint8_t)type } };

	syc_writer_add(writer, &f);
}

static void add_loss(struct syc_writer *writer, int64_t from, int64_t to)
{
	const struct syc_loss loss = {
		.total = 70000,
		.bytes = 7000000,
		.frames = { [0] = 3, [SYSCAP_FRAME_MARK] = 69997 },
	};
	_Alignas(8) unsigned char frame[SYC_LOSS_FRAME_MAX];

	syc_losses_compose(frame, &loss, 1, from, to);
	syc_writer_add(writer, frame);
}

TEST(losses_on_a_full_disk_are_in_the_header)
{
	const struct rlimit limit = { 2560, 2560 };
	struct syc_writer *writer;
	struct syc_loss loss;
	int64_t from = 0, to = 0;

	make_file("", 0);
	signal(SIGXFSZ, SIG_IGN);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	CHECK_EQ(syc_writer_open(path, false, &writer, &error), 0);
	CHECK_EQ(syc_writer_begin(writer, 1, &error), 0);
	for (int i = 0; i < 20; i++) /* 18 have room */
		add_of(writer, SYSCAP_FRAME_TIMESTAMP, 100 + i);
	CHECK_EQ(syc_writer_flush(writer), -EFBIG);
	loss = read_loss(&from, &to);
	CHECK_EQ(loss.frames[SYSCAP_FRAME_TIMESTAMP], 2);
	CHECK_EQ(loss.total, 2);
	CHECK_EQ(loss.bytes, 256);
	CHECK_EQ(from, 118);
	CHECK_EQ(to, 119);

	for (unsigned type = 1; type < SYSCAP_FRAME_LAST; type++)
		add_of(writer, type, 200);
	add_loss(writer, 90, 300);
	CHECK_EQ(syc_writer_finish(writer, 400), -EFBIG);
	syc_writer_close(writer);
	loss = read_loss(&from, &to);
	for (unsigned type = 2; type < SYSCAP_FRAME_LAST; type++)
		CHECK_EQ(loss.frames[type],
		         type == SYSCAP_FRAME_MARK ? 69998 : 1);
	CHECK_EQ(loss.frames[0], 3);
	CHECK_EQ(loss.total, 2 + 17 + 70000);
	CHECK_EQ(loss.bytes, 256 + 17 * 128 + 7000000);
	CHECK_EQ(from, 90);
	CHECK_EQ(to, 300);
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
