/* SPDX-License-Identifier: BSD-2-Clause */
/* copy.c - a library with its own copy of syscap, built twice and loaded. */
#include <stddef.h>

#include <syscap/sampler.h>

int copy_start(void);
int copy_stop(void);

__attribute__((visibility("default"))) int copy_start(void)
{
	struct syscap_sampler_options options = { .size = sizeof(options) };

	return syscap_sampler_start(&options);
}

__attribute__((visibility("default"))) int copy_stop(void)
{
	return syscap_sampler_stop();
}
