/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_tick_stack.c - stacks that get space for a tick, if the kernel's signal
 * frame is as large as with AMX.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include "harness/test.h"
#include "preload/tick_stack.h"

#define AMX 11952u /* frame size on Sapphire Rapids */

/* Called by tick_stack.c in place of getauxval() */
unsigned long __real_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type)
{
	/* AT_MINSIGSTKSZ; constructors of the library read other values */
	return type == 51 ? AMX : __real_getauxval(type);
}

static size_t size_with_room(pthread_attr_t *attr, bool *ret_is_small)
{
	pthread_attr_t copy;
	const pthread_attr_t *const with =
		syc_stack_size_for_thread(attr, &copy, ret_is_small);
	size_t size;

	CHECK_EQ(pthread_attr_getstacksize(with, &size), 0);
	return size;
}

TEST(default_stack_size_is_kept)
{
	pthread_attr_t attr;
	size_t size;
	bool is_small;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	CHECK_EQ(pthread_attr_getstacksize(&attr, &size), 0);
	CHECK_EQ(size_with_room(&attr, &is_small), size);
	CHECK(!is_small);
}

TEST(small_stack_grows_by_signal_frame_and_handler)
{
	const size_t small = (size_t)sysconf(_SC_THREAD_STACK_MIN);
	pthread_attr_t attr;
	bool is_small;

	pthread_attr_init(&attr);
	CHECK_EQ(pthread_attr_setstacksize(&attr, small), 0);
	CHECK(size_with_room(&attr, &is_small) >= small + AMX + 4096);
	CHECK(!is_small);
}

TEST(large_and_caller_owned_stacks_are_kept)
{
	static char memory[32768] __attribute__((aligned(4096)));
	pthread_attr_t attr;
	bool is_small;

	pthread_attr_init(&attr);
	CHECK_EQ(pthread_attr_setstacksize(&attr, 65536), 0);
	CHECK_EQ(size_with_room(&attr, &is_small), 65536);
	CHECK(!is_small);

	pthread_attr_init(&attr);
	CHECK_EQ(pthread_attr_setstack(&attr, memory, sizeof(memory)), 0);
	CHECK_EQ(size_with_room(&attr, &is_small), sizeof(memory));
	CHECK(is_small);
}
