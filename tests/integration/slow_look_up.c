/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slow_look_up.c - a library that is preloaded after the libraries of `syscap
 * record`.  The library slows down dlsym() so much that a tick comes during the
 * look-up.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef void *look_up(void *library, const char *name);

/* The C library's dlsym(), of glibc 2.34 and later, or of older versions on
 * x86_64 and aarch64. */
static look_up *real_dlsym(void)
{
	static const char *const versions[] = { "GLIBC_2.34", "GLIBC_2.2.5",
		                                "GLIBC_2.17" };
	look_up *real = NULL;

	for (unsigned i = 0; real == NULL && i < 3; i++)
		real = (look_up *)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	return real;
}

__attribute__((visibility("default"))) void *dlsym(void *library,
                                                   const char *name)
{
	const struct timespec time = { 0, 3000000 };

	/* A tick ends the sleep */
	if (library == RTLD_NEXT)
		syscall(SYS_nanosleep, &time, NULL);
	return real_dlsym()(library, name);
}
