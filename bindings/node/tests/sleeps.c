/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sleeps.c - a preloaded library that counts the sleeps of syscap's addons
 * (SLEEPS_IN is part of their names) on threads of the program.  The library
 * writes the number to the file SLEEPS_OUT at the end of the process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static unsigned n_sleeps;

static int is_from_part(const void *caller)
{
	const char *const part = getenv("SLEEPS_IN");
	char thread[17] = "";
	Dl_info info;

	prctl(PR_GET_NAME, thread);
	return part != NULL && dladdr(caller, &info) != 0 &&
	       strstr(info.dli_fname, part) != NULL &&
	       strcmp(thread, "syscap-names") != 0;
}

#define SLEEPS(name, parameters, ...)                                       \
	int name parameters                                                 \
	{                                                                   \
		int(*const next) parameters =                               \
			(__typeof__(next))dlsym(RTLD_NEXT, #name);          \
                                                                            \
		if (is_from_part(__builtin_return_address(0)))              \
			__atomic_add_fetch(&n_sleeps, 1, __ATOMIC_RELAXED); \
		return next(__VA_ARGS__);                                   \
	}

SLEEPS(nanosleep, (const struct timespec *t, struct timespec *rest), t, rest)
SLEEPS(clock_nanosleep,
       (clockid_t clock, int flags, const struct timespec *t,
        struct timespec *rest),
       clock, flags, t, rest)
SLEEPS(usleep, (useconds_t us), us)
SLEEPS(poll, (struct pollfd * fds, nfds_t n, int ms), fds, n, ms)
SLEEPS(pthread_cond_wait, (pthread_cond_t * cond, pthread_mutex_t *mutex), cond,
       mutex)
SLEEPS(pthread_cond_timedwait,
       (pthread_cond_t * cond, pthread_mutex_t *mutex,
        const struct timespec *until),
       cond, mutex, until)
SLEEPS(pthread_cond_clockwait,
       (pthread_cond_t * cond, pthread_mutex_t *mutex, clockid_t clock,
        const struct timespec *until),
       cond, mutex, clock, until)

__attribute__((destructor)) static void tell(void)
{
	const char *const name = getenv("SLEEPS_OUT");
	FILE *const file = name != NULL ? fopen(name, "w") : NULL;

	if (file == NULL)
		return;
	fprintf(file, "%u\n", n_sleeps);
	fclose(file);
}
