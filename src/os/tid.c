/* SPDX-License-Identifier: BSD-2-Clause */
/* tid.c - threads of this process, by their ids. */
#define _GNU_SOURCE
#include "os/tid.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

bool syc_tid_is_gone(int32_t tid)
{
	return syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH;
}
