/* SPDX-License-Identifier: BSD-2-Clause */
/* test_input_file.c - captures that are truncated during reading. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap/capture.h>

#include "capture/files.h"
#include "harness/test.h"

#define PAGES 8

static long page(void)
{
	return sysconf(_SC_PAGESIZE);
}

static void mend(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (!syc_mapping_mend(info->si_addr))
		signal(sig, SIG_DFL);
}

static void catch_signal(void)
{
	struct sigaction action = { .sa_sigaction = mend,
		                    .sa_flags = SA_SIGINFO };

	CHECK_EQ(sigaction(SIGBUS, &action, NULL), 0);
}

static int make_file(size_t size)
{
	const int fd = memfd_create("cut", MFD_CLOEXEC);

	CHECK(fd >= 0);
	for (size_t i = 0; i < size; i++)
		CHECK_EQ(write(fd, "x", 1), 1);
	return fd;
}

TEST(truncated_part_reads_as_zeros_and_is_lost)
{
	const size_t size = (size_t)(PAGES * page());
	const int fd = make_file(size);
	struct syc_mapping m;

	catch_signal();
	CHECK_EQ(syc_mapping_make(&m, fd, size, MAP_PRIVATE), 0);
	CHECK_EQ(m.data[size - 1], 'x');
	CHECK(!syc_mapping_any_lost());
	CHECK_EQ(ftruncate(fd, 3 * page()), 0);
	CHECK_EQ(m.data[3 * page() - 1], 'x');
	CHECK_EQ(m.lost_at, UINT64_MAX);
	CHECK_EQ(m.data[5 * page() + 7], 0);
	CHECK_EQ(m.lost_at, 5 * page());
	CHECK_EQ(m.data[size - 1], 0);
	CHECK_EQ(m.data[3 * page()], 0);
	CHECK_EQ(m.lost_at, 3 * page());
	CHECK_EQ(m.data[3 * page() - 1], 'x');
	CHECK(syc_mapping_any_lost());
	syc_mapping_end(&m);
	close(fd);
}

TEST(moved_mapping_is_mended)
{
	const size_t size = (size_t)(2 * page());
	const int fd = make_file(size);
	struct syc_mapping a, b = { .data = NULL };

	catch_signal();
	CHECK_EQ(syc_mapping_make(&a, fd, size, MAP_SHARED), 0);
	syc_mapping_move(&b, &a);
	CHECK_EQ(ftruncate(fd, 0), 0);
	CHECK_EQ(b.data[0], 0);
	CHECK_EQ(b.lost_at, 0);
	syc_mapping_end(&a);
	syc_mapping_end(&b);
	close(fd);
}

MUST_DIE(sigbus_at_a_foreign_address_ends_the_process)
{
	const int fd = make_file((size_t)page());
	const char *const data =
		mmap(NULL, (size_t)page(), PROT_READ, MAP_SHARED, fd, 0);

	catch_signal();
	CHECK_EQ(ftruncate(fd, 0), 0);
	close(fd);
	CHECK_EQ(*(const volatile char *)data, 'x');
}
