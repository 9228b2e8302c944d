/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * other_libc.c - so that the preloaded library loads under another C library
 * than the one it was built with, where it does nothing.
 *
 * A build tells all its programs what to preload, and one that can't resolve a
 * symbol of ours would not start.  What every C library has is taken as it is;
 * lint.musl has the list.  The rest are three functions that glibc has out of
 * line: here they are weak, or made of what there is.
 */
#define _GNU_SOURCE
#include "preload/other_libc.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define WEAK   __attribute__((weak))

extern void *__dso_handle HIDDEN;

WEAK const char *gnu_get_libc_version(void);
WEAK int __cxa_at_quick_exit(void (*function)(void *), void *object);
WEAK int __register_atfork(void (*prepare)(void), void (*parent)(void),
                           void (*child)(void), void *object);

bool syc_other_libc_is(void)
{
	return &gnu_get_libc_version == NULL;
}

HIDDEN int at_quick_exit(void (*function)(void))
{
	if (&__cxa_at_quick_exit == NULL)
		return -1;
	return __cxa_at_quick_exit((void (*)(void *))(uintptr_t)function,
	                           __dso_handle);
}

HIDDEN int pthread_atfork(void (*prepare)(void), void (*parent)(void),
                          void (*child)(void))
{
	if (&__register_atfork == NULL)
		return ENOSYS;
	return __register_atfork(prepare, parent, child, __dso_handle);
}

/* The header has an inline one of that name, which clang takes for its definition. */
HIDDEN struct cmsghdr *find_next(struct msghdr *msg,
                                 struct cmsghdr *one) __asm__("__cmsg_nxthdr");

struct cmsghdr *find_next(struct msghdr *msg, struct cmsghdr *one)
{
	char *const end = (char *)msg->msg_control + msg->msg_controllen;
	char *const next = (char *)one + CMSG_ALIGN(one->cmsg_len);

	if (one->cmsg_len < sizeof(*one) || next > end ||
	    (size_t)(end - next) < sizeof(*one))
		return NULL;
	return (struct cmsghdr *)(void *)next;
}
