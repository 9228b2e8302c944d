/* SPDX-License-Identifier: BSD-2-Clause */
/* own_thread.c - which threads of a process are this library's, by name. */
#include "proc/own_thread.h"

#include <string.h>

bool sc_own_thread_is_name(const char *name, size_t n)
{
	static const char *const names[] = { SC_THREAD_DRAIN, SC_THREAD_SAMPLER,
		                             SC_THREAD_TOGGLE,
		                             SC_THREAD_ENDED };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == n && memcmp(name, names[i], n) == 0)
			return true;
	return false;
}
