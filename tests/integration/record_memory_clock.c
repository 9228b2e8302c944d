/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_memory_clock.c - a preloaded library that wraps clock_gettime(), like
 * libfaketime. The library's constructor runs first and looks up a missing
 * symbol. The look-up leaves an error text, which the next dlsym() frees.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void *volatile sink;

__attribute__((constructor)) static void look_for_nothing(void)
{
	sink = dlsym(RTLD_DEFAULT, "there_is_no_such_function");
}

__attribute__((visibility("default"))) int
clock_gettime(clockid_t clock, struct timespec *ret_time)
{
	static unsigned n;

	if (__atomic_fetch_add(&n, 1, __ATOMIC_RELAXED) < 100) {
		look_for_nothing();
		sink = malloc(10);
		free(sink);
	}
	return (int)syscall(SYS_clock_gettime, clock, ret_time);
}
