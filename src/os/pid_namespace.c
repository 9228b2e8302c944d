/* SPDX-License-Identifier: BSD-2-Clause */
/* pid_namespace.c - the pid namespace of this process. */
#include "os/pid_namespace.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>

uint64_t syc_pid_namespace_id(void)
{
	const int saved = errno;
	struct stat st;
	const bool is = stat("/proc/self/ns/pid", &st) == 0;

	errno = saved;
	return is ? st.st_ino : 0;
}
