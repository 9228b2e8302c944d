/* SPDX-License-Identifier: BSD-2-Clause */
/* library_thread.c - creation and names of this library's threads. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include "os/signals.h"
#include "os/threads.h"

#define STACK_SIZE ((size_t)256 * 1024)

bool syc_library_thread_is_name(const char *name, size_t n)
{
	static const char *const names[] = { SYC_THREAD_SPILL,
		                             SYC_THREAD_SAMPLER,
		                             SYC_THREAD_TOGGLE,
		                             SYC_THREAD_ENDED };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == n && memcmp(name, names[i], n) == 0)
			return true;
	return false;
}

static int make_detached(void *(*run)(void *), void *data)
{
	pthread_attr_t attr;
	pthread_t thread;
	int r = pthread_attr_init(&attr);

	if (r != 0)
		return r;
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	r = pthread_create(&thread, &attr, run, data);
	if (r == EINVAL) { /* large thread-local storage */
		pthread_attr_setstacksize(&attr, 32 * STACK_SIZE);
		r = pthread_create(&thread, &attr, run, data);
	}
	pthread_attr_destroy(&attr);
	return r;
}

int syc_library_thread_make(void *(*run)(void *), void *data)
{
	uint64_t before;

	syc_all_signals_block(&before);
	const int r = make_detached(run, data);
	syc_all_signals_restore(&before);
	return -r;
}

void syc_library_thread_begin(const char *name)
{
	prctl(PR_SET_NAME, name);
	syc_signal_mask(SIG_SETMASK, SYC_ALL_SIGNALS);
}
