/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_stderr_tee.c - the tee passes bytes on, and reports the bytes or their
 * number.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "recorder/recording.h"

#define BYTES UINT64_C(4000000) /* more than any socket holds */
#define MS    INT64_C(1000000)

static struct syc_stderr_tee used_tee;

static void begin(void)
{
	const int nowhere = open("/dev/null", O_WRONLY);
	const int saved = dup(STDERR_FILENO);

	CHECK(nowhere >= 0 && saved >= 0);
	dup2(nowhere, STDERR_FILENO);
	CHECK_EQ(syc_stderr_tee_start(&used_tee), 0);
	dup2(saved, STDERR_FILENO);
	close(nowhere);
	close(saved);
	fcntl(used_tee.socket, F_SETFL, 0);
}

/* Writes until the tee has read all bytes.  No process reads the bytes from
 * the tee. */
static void write_much(void)
{
	static const char bytes[4096];
	int waiting = 1;
	ssize_t n;

	for (uint64_t left = BYTES; left > 0; left -= (size_t)n) {
		n = write(used_tee.given, bytes,
		          left < sizeof(bytes) ? left : sizeof(bytes));
		CHECK(n > 0);
	}
	for (; waiting > 0; usleep(1000))
		CHECK_EQ(ioctl(used_tee.given, FIONREAD, &waiting), 0);
}

/* Checks all bytes up to the socket's end, received or reported as lost. */
static void check_pieces(void)
{
	struct syc_stderr_tee_piece piece;
	uint64_t sum = 0, lost = 0;
	ssize_t n, last = 0;

	while ((n = recv(used_tee.socket, &piece, sizeof(piece), 0)) > 0) {
		sum += (size_t)n - SYC_STDERR_TEE_HEAD;
		lost += piece.lost;
		last = n;
	}
	CHECK_EQ(n, 0);
	CHECK(lost > 0);
	CHECK_EQ(sum + lost, BYTES);
	CHECK_EQ(last, (ssize_t)SYC_STDERR_TEE_HEAD);
}

TEST(bytes_missed_by_the_recorder_are_reported)
{
	begin();
	write_much();
	close(used_tee.given);
	check_pieces();
	CHECK_EQ(waitpid(used_tee.pid, NULL, 0), used_tee.pid);
	close(used_tee.socket);
}

TEST(stopped_recorder_delays_once)
{
	struct syc_stderr_tee_piece piece;
	unsigned n_waits = 0, n = 0;
	int64_t before = 0;

	begin();
	write_much();
	close(used_tee.given);
	while (recv(used_tee.socket, &piece, sizeof(piece), 0) > 0) {
		/* A busy machine causes a few waits; one wait per piece would
		 * cause hundreds */
		if (before != 0 && piece.time - before >= 100 * MS)
			n_waits++;
		before = piece.time;
		n++;
	}
	CHECK(n > 100);
	CHECK(n_waits < 50);
	CHECK_EQ(waitpid(used_tee.pid, NULL, 0), used_tee.pid);
	close(used_tee.socket);
}

TEST(missed_bytes_are_reported_while_others_write)
{
	begin();
	write_much();
	shutdown(used_tee.socket, SHUT_WR);
	check_pieces();
	CHECK_EQ(write(used_tee.given, "x", 1), 1);
	close(used_tee.given);
	CHECK_EQ(waitpid(used_tee.pid, NULL, 0), used_tee.pid);
	close(used_tee.socket);
}
