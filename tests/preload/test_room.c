/* SPDX-License-Identifier: BSD-2-Clause */
/* test_room.c - which stacks get room for a tick, where the kernel's part of it
 * is as large as with AMX. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include "harness/test.h"
#include "preload/room.h"

#define AMX 11952u /* what Sapphire Rapids says */

/* What room.c calls for getauxval() */
unsigned long __wrap_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type)
{
	CHECK_EQ(type, 51); /* AT_MINSIGSTKSZ */
	return AMX;
}

static size_t size_with_room(pthread_attr_t *attr, bool *ret_is_cramped)
{
	pthread_attr_t copy;
	const pthread_attr_t *const with =
		syc_room_on_stack(attr, &copy, ret_is_cramped);
	size_t size;

	CHECK_EQ(pthread_attr_getstacksize(with, &size), 0);
	return size;
}

TEST(a_stack_whose_size_was_not_asked_for_keeps_it)
{
	pthread_attr_t attr;
	size_t size;
	bool is_cramped;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	CHECK_EQ(pthread_attr_getstacksize(&attr, &size), 0);
	CHECK_EQ(size_with_room(&attr, &is_cramped), size);
	CHECK(!is_cramped);
}

TEST(a_small_stack_gets_the_kernels_part_and_ours)
{
	const size_t small = (size_t)sysconf(_SC_THREAD_STACK_MIN);
	pthread_attr_t attr;
	bool is_cramped;

	pthread_attr_init(&attr);
	CHECK_EQ(pthread_attr_setstacksize(&attr, small), 0);
	CHECK(size_with_room(&attr, &is_cramped) >= small + AMX + 4096);
	CHECK(!is_cramped);
}

TEST(a_large_stack_and_memory_of_the_programs_stay)
{
	static char memory[32768] __attribute__((aligned(4096)));
	pthread_attr_t attr;
	bool is_cramped;

	pthread_attr_init(&attr);
	CHECK_EQ(pthread_attr_setstacksize(&attr, 65536), 0);
	CHECK_EQ(size_with_room(&attr, &is_cramped), 65536);
	CHECK(!is_cramped);

	pthread_attr_init(&attr);
	CHECK_EQ(pthread_attr_setstack(&attr, memory, sizeof(memory)), 0);
	CHECK_EQ(size_with_room(&attr, &is_cramped), sizeof(memory));
	CHECK(is_cramped);
}
