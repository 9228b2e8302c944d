/* SPDX-License-Identifier: BSD-2-Clause */
/* test_moved_environment.c - the library reads no memory below an environment
 * that the program has moved. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sysprof-capture.h>

#include "harness/test.h"

/* More than a sanitizer needs */
#define STACK ((size_t)4 << 20)

static void *start(void *unused)
{
	sysprof_collector_init();
	sysprof_collector_mark(1, 2, "group", "name", "message");
	return unused;
}

/* The addresses rise: stack of the thread, an unmapped page, environment. */
TEST(a_thread_below_a_moved_environment_starts_the_collector)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *const memory =
		mmap(NULL, STACK + 2 * page, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *const moved = memory + STACK + page;
	char **const before = environ;
	pthread_attr_t attr;
	pthread_t thread;

	CHECK(memory != MAP_FAILED);
	CHECK_EQ(mprotect(memory + STACK, page, PROT_NONE), 0);
	memset(moved, 0xff, page / 2);
	environ = (char **)(void *)(moved + page / 2);
	CHECK_EQ(pthread_attr_init(&attr), 0);
	CHECK_EQ(pthread_attr_setstack(&attr, memory, STACK), 0);
	CHECK_EQ(pthread_create(&thread, &attr, start, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	environ = before;
}
