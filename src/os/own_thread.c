/* SPDX-License-Identifier: BSD-2-Clause */
/* own_thread.c - which threads of a process are this library's, by name. */
#include "os/own_thread.h"

#include <string.h>

bool syc_own_thread_is_name(const char *name, size_t n)
{
	static const char *const names[] = { SYC_THREAD_DRAIN,
		                             SYC_THREAD_SAMPLER,
		                             SYC_THREAD_TOGGLE,
		                             SYC_THREAD_ENDED };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == n && memcmp(name, names[i], n) == 0)
			return true;
	return false;
}
