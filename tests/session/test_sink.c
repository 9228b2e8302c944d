/* SPDX-License-Identifier: BSD-2-Clause */
/* test_sink.c - the small parts of sinks: signals.c, file_header.c. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "harness/syscalls.h"
#include "harness/test.h"
#include "os/fd.h"
#include "os/signals.h"
/* Included, as its static calendar function is tested */
#include "session/file_header.c"
#include "session/trace_frames.h"

/* ------------------------------------------------------------------- quiet */

static volatile sig_atomic_t n_pipe;

static void count(int number)
{
	n_pipe += number == SIGPIPE;
}

static bool is_pending(int number)
{
	sigset_t set;

	CHECK_EQ(sigpending(&set), 0);
	return sigismember(&set, number) == 1;
}

static void raise_both(void)
{
	static const char bytes[4096];
	const struct rlimit low = { 100, RLIM_INFINITY };
	const int fd = frames_make_file(O_RDWR);
	int ends[2];

	setrlimit(RLIMIT_FSIZE, &low);
	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	close(ends[0]);
	CHECK_EQ(write(ends[1], bytes, 1), -1);
	CHECK_EQ(write(fd, bytes, sizeof(bytes)), 100);
	CHECK_EQ(write(fd, bytes, sizeof(bytes)), -1);
	close(ends[1]);
	close(fd);
}

TEST(signals_of_our_writes_are_taken_back)
{
	struct syc_write_nosignal quiet;
	sigset_t mask;

	errno = 12345;
	syc_write_nosignal_begin(&quiet);
	CHECK_EQ(errno, 12345);
	raise_both();
	CHECK(is_pending(SIGPIPE) && is_pending(SIGXFSZ));
	errno = 12345;
	syc_write_nosignal_end(&quiet);
	CHECK_EQ(errno, 12345);
	CHECK(!is_pending(SIGPIPE) && !is_pending(SIGXFSZ));
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	CHECK(!sigismember(&mask, SIGPIPE) && !sigismember(&mask, SIGXFSZ));
}

TEST(a_signal_that_was_pending_before_stays)
{
	struct sigaction action = { .sa_handler = count };
	struct syc_write_nosignal quiet;
	sigset_t mask;

	sigaction(SIGPIPE, &action, NULL);
	sigemptyset(&mask);
	sigaddset(&mask, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &mask, NULL);
	raise(SIGPIPE);
	syc_write_nosignal_begin(&quiet);
	raise_both();
	syc_write_nosignal_end(&quiet);
	CHECK(is_pending(SIGPIPE) && !is_pending(SIGXFSZ));
	CHECK_EQ(n_pipe, 0);
	pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
	CHECK_EQ(n_pipe, 1);
}

/* ---------------------------------------------------------------- write_at */

/* Limit of bytes per write, also of the library's writes. */
static size_t at_once = SIZE_MAX;

static bool take_syscall(long number, long *args, long *ret_r)
{
	static unsigned interrupted;

	if (number != SYS_pwrite64 || at_once == SIZE_MAX)
		return false;
	if ((size_t)args[2] > at_once)
		args[2] = (long)at_once;
	*ret_r = -EINTR;
	return ++interrupted % 3 == 0;
}

static void write_bytes(void)
{
	static unsigned char bytes[5000], read_back[5000];
	const int fd = frames_make_file(O_RDWR);
	uint64_t done;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 31 >> 3);
	CHECK_EQ(syc_write_at(fd, bytes, sizeof(bytes), 1000, &done), 0);
	CHECK_EQ(done, sizeof(bytes));
	CHECK_EQ(frames_size(fd), 1000 + sizeof(bytes));
	CHECK_EQ(pread(fd, read_back, sizeof(bytes), 1000), sizeof(bytes));
	CHECK_EQ(memcmp(bytes, read_back, sizeof(bytes)), 0);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), 0);
	close(fd);
}

TEST(bytes_are_written_at_one_place)
{
	write_bytes();
}

TEST(short_writes_are_gone_on_with)
{
	for (at_once = 1; at_once < 12; at_once++)
		write_bytes();
}

TEST(a_failed_write_returns_the_written_size)
{
	static char bytes[60];
	const struct rlimit low = { 1040, RLIM_INFINITY };
	const int fd = frames_make_file(O_RDWR);
	struct syc_write_nosignal quiet;
	uint64_t done;

	setrlimit(RLIMIT_FSIZE, &low);
	syc_write_nosignal_begin(&quiet);
	CHECK_EQ(syc_write_at(fd, bytes, 60, 1000, &done), -EFBIG);
	syc_write_nosignal_end(&quiet);
	CHECK_EQ(done, 40);
	CHECK_EQ(syc_write_at(-1, bytes, 60, 0, &done), -EBADF);
	CHECK_EQ(done, 0);
	CHECK_EQ(syc_write_at(fd, bytes, 0, 0, &done), 0);
	close(fd);
}

/* ------------------------------------------------------------- file_header */

TEST(the_calendar_is_that_of_the_c_library)
{
	char ours[64], theirs[64];

	srandom((unsigned)test_seed());
	for (int64_t i = 0; i < 300000; i++) {
		/* each day up to 2199, then random times up to 9999 */
		const time_t t =
			i < 84000
				? i * DAY + (i & 1 ? DAY - 1 : 0)
				: (time_t)((random() * (1LL << 20) + random()) %
		                           253402300800);
		struct syc_text text = syc_text_begin(ours, sizeof(ours));
		struct tm tm;

		add_time(&text, t);
		strftime(theirs, sizeof(theirs), "%Y-%m-%dT%H:%M:%SZ",
		         gmtime_r(&t, &tm));
		CHECK_STR(ours, theirs);
	}
}

TEST(unused_bytes_of_the_header_are_zero)
{
	struct syscap_wire_file header;

	memset(&header, 0xAA, sizeof(header));
	syc_file_header_fill(&header, 77);
	CHECK_EQ(header.magic, SYSCAP_MAGIC);
	CHECK_EQ(header.version, 1);
	CHECK_EQ(header.little_endian,
	         __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	CHECK_EQ(header.time, 77);
	CHECK_EQ(header.end_time, 0);
	CHECK_EQ(strlen(header.capture_time), 20);
	for (unsigned i = 20; i < sizeof(header.capture_time); i++)
		CHECK_EQ(header.capture_time[i], 0);
	for (unsigned i = 88; i < sizeof(header); i++)
		CHECK_EQ(((unsigned char *)&header)[i], 0);
}
