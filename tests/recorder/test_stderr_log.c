/* SPDX-License-Identifier: BSD-2-Clause */
/* test_stderr_log.c - lines from bytes that come in any pieces. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <syscap/capture.h>

#include "harness/test.h"
#include "recorder/recording.h"

static char path[] = "/tmp/test_logged.XXXXXX";
static struct syc_stderr_log stderr_log;

/* The other end of the socket */
static int tee;

static void begin(void)
{
	struct syscap_error error;
	int sockets[2];

	memset(&stderr_log, 0, sizeof(stderr_log));
	CHECK_EQ(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, sockets),
		0);
	tee = sockets[0];
	stderr_log.tee.socket = sockets[1];
	close(mkstemp(path));
	CHECK_EQ(syc_writer_open(path, true, &stderr_log.writer, &error), 0);
	CHECK_EQ(syc_writer_begin(stderr_log.writer, 1, &error), 0);
}

/* All lines, each preceded by its time. */
static const char *lines(void)
{
	static char text[65536];
	struct syscap_reader *reader;
	struct syscap_frame frame;
	struct syscap_error error;
	size_t n = 0;

	CHECK_EQ(syc_writer_finish(stderr_log.writer, 9), 0);
	syc_writer_close(stderr_log.writer);
	close(tee);
	while (syc_stderr_log_take(&stderr_log)) /* until the socket's end */
		;
	close(stderr_log.tee.socket);
	CHECK_EQ(syscap_reader_open(path, &reader, &error), 0);
	while (syscap_reader_next(reader, &frame, &error) > 0)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%d:%s|",
		                      (int)frame.time, frame.log.message);
	syscap_reader_close(reader);
	unlink(path);
	return text;
}

static void put_bytes(int64_t time, const char *bytes, size_t n, uint64_t lost)
{
	struct syc_stderr_tee_piece piece = { .time = time, .lost = lost };

	memcpy(piece.bytes, bytes, n);
	CHECK(send(tee, &piece, SYC_STDERR_TEE_HEAD + n, 0) > 0);
	CHECK(syc_stderr_log_take(&stderr_log));
}

static void put(int64_t time, const char *text)
{
	put_bytes(time, text, strlen(text), 0);
}

TEST(missing_bytes_are_marked_in_place)
{
	begin();
	put(1, "one\ntw");
	put_bytes(2, "ree\n", 4, 77);
	put_bytes(3, "four\n", 5, 1);
	CHECK_EQ(stderr_log.lost, 78);
	CHECK_STR(lines(),
	          "1:one|1:tw|2:(syscap did not record 77 bytes)|2:ree|"
	          "3:(syscap did not record 1 bytes)|3:four|");
}

TEST(a_line_has_the_time_of_its_first_byte)
{
	begin();
	put(1, "on");
	put(2, "e\ntwo\n\nth");
	put(3, "");
	put(4, "ree");
	put(5, "\n");
	CHECK_STR(lines(), "1:one|2:two|2:|2:three|");
}

TEST(a_carriage_return_at_the_end_is_no_part_of_it)
{
	begin();
	put(1, "a\r\n\rb\r");
	put(2, "\nc\n");
	CHECK_STR(lines(), "1:a|1:\rb|2:c|");
}

TEST(zero_byte_does_not_end_a_line)
{
	begin();
	put_bytes(1, "a\0b\n", 4, 0);
	CHECK_STR(lines(), "1:a\xEF\xBF\xBD"
	                   "b|");
}

TEST(a_long_line_is_cut_between_characters)
{
	static const char *const characters[] = { "x", "\xC3\xA9",
		                                  "\xE2\x82\xAC",
		                                  "\xF0\x9F\x90\x9B" };
	const char *text;

	for (unsigned kind = 0; kind < 4; kind++)
		for (unsigned shift = 0; shift < 4; shift++) {
			size_t n = 0;

			strcpy(path + strlen(path) - 6, "XXXXXX");
			begin();
			for (unsigned i = 0; i < shift; i++)
				put(1, "y");
			while (n < 20000) {
				put(1, characters[kind]);
				n += strlen(characters[kind]);
			}
			put(1, "\n");
			text = lines();
			CHECK(strstr(text, "\xEF\xBF\xBD") == NULL);
			/* Each piece has "1:" and "|" */
			CHECK_EQ(strlen(text), shift + n + 3 * 3);
		}
}

TEST(reads_of_a_flood_are_bounded)
{
	struct syc_stderr_tee_piece piece = { .time = 1, .bytes = "x\n" };
	unsigned n_sent = 0, n_left = 0;

	begin();
	while (send(tee, &piece, SYC_STDERR_TEE_HEAD + 2, MSG_DONTWAIT) > 0)
		n_sent++;
	CHECK(n_sent > 100);
	CHECK(syc_stderr_log_take(&stderr_log));
	while (recv(stderr_log.tee.socket, &piece, sizeof(piece), 0) > 0)
		n_left++;
	CHECK_EQ(n_left, n_sent - 64);
	lines();
}

TEST(end_without_completion_is_incomplete)
{
	begin();
	stderr_log.is_on = true;
	put(1, "one\n");
	CHECK_EQ(shutdown(tee, SHUT_WR), 0);
	CHECK(!syc_stderr_log_end(&stderr_log));
	lines();
}

TEST(missing_bytes_at_the_end_are_reported)
{
	begin();
	stderr_log.is_on = true;
	put_bytes(2, "", 0, 77);
	CHECK_EQ(shutdown(tee, SHUT_WR), 0);
	CHECK(!syc_stderr_log_end(&stderr_log));
	CHECK_EQ(stderr_log.lost, 77);
	CHECK_STR(lines(), "2:(syscap did not record 77 bytes)|");
}
