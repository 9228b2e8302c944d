/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threads.c - facts about threads: the bounds of the calling thread's stack,
 * the end of another thread, and the state of seccomp filters.
 *
 * The kernel reports the mapping of an address on the stack.  The address is
 * the thread control block, which glibc and musl put at the top of the stack of
 * every thread that they start.  For the process' first thread, the address is
 * that of the 16 random bytes above its frames (AT_RANDOM).  A thread's guard
 * is below its stack, so the mapping begins with the stack.  A program may also
 * give the thread a part of a larger block.
 *
 * Ids do not identify the first thread: a forked child's first thread is the
 * thread that called fork().
 */
#define _GNU_SOURCE
#include "os/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/fd.h"
#include "os/seccomp_state.h"

uint32_t syc_seccomp_filters, syc_seccomp_closing_filters;

_Thread_local uint8_t syc_seccomp_here
	__attribute__((tls_model(SYSCAP_TLS_MODEL)));

bool syc_tid_is_gone(int32_t tid)
{
	return syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH;
}

/* Linux 6.11's PROCMAP_QUERY; older kernel headers lack it. */
struct map_query {
	uint64_t size, flags, addr;
	uint64_t start, end, vma_flags, page_size, offset, inode;
	uint32_t dev_major, dev_minor, name_size, build_id_size;
	uint64_t name, build_id;
};
#define MAP_QUERY _IOWR('f', 17, struct map_query)

/* A growing stack may grow by this much.  The kernel keeps at least 128 MiB
 * free for a growing stack. */
#define MAIN_STACK_MAX ((rlim_t)64 << 20)

/* Parse lines of the form "start-end perms ...".  The buffer is small, because
 * handlers have small stacks. */
static bool find_by_text(int fd, uintptr_t addr, uintptr_t *ret_low,
                         uintptr_t *ret_high)
{
	enum {
		LOW,
		HIGH,
		REST
	} part = LOW;
	uintptr_t low = 0, value = 0;
	char buffer[512];
	ssize_t n;

	while ((n = syc_fd_read(fd, buffer, sizeof(buffer))) > 0)
		for (ssize_t i = 0; i < n; i++) {
			const char c = buffer[i];

			if (c == '\n') {
				part = LOW;
				value = 0;
			} else if (part == LOW && c == '-') {
				part = HIGH;
				low = value;
				value = 0;
			} else if (part == HIGH && c == ' ') {
				part = REST;
				if (addr < low || addr >= value)
					continue;
				*ret_low = low;
				*ret_high = value;
				return true;
			} else if (part != REST) {
				value = value << 4 |
				        (uintptr_t)(c <= '9' ? c - '0'
				                             : c - 'a' + 10);
			}
		}
	return false;
}

static bool find_mapping(uintptr_t addr, uintptr_t *ret_low,
                         uintptr_t *ret_high)
{
	const int fd = syc_fd_open("/proc/self/maps", O_RDONLY, 0);
	struct map_query query = { .size = sizeof(query), .addr = addr };
	bool found;

	if (fd < 0)
		return false;
	if (ioctl(fd, MAP_QUERY, &query) == 0) {
		*ret_low = (uintptr_t)query.start;
		*ret_high = (uintptr_t)query.end;
		found = true;
	} else {
		found = find_by_text(fd, addr, ret_low, ret_high);
	}
	syc_fd_close(fd);
	return found;
}

/* The first thread's stack grows, so its mapping has only the current size. */
static bool find_main_stack(uintptr_t *ret_low, uintptr_t *ret_high)
{
	const uintptr_t addr = (uintptr_t)getauxval(AT_RANDOM);
	struct rlimit limit;
	rlim_t most = MAIN_STACK_MAX;

	if (addr == 0 || !find_mapping(addr, ret_low, ret_high))
		return false;
	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < most)
		most = limit.rlim_cur;
	if (*ret_high - *ret_low < most)
		*ret_low = *ret_high - (uintptr_t)most;
	return true;
}

/* Find the stack of @addr.  The first thread's control block is not on its
 * stack. */
static bool find_stack(uintptr_t addr, uintptr_t *ret_low, uintptr_t *ret_high)
{
	const uintptr_t top = syc_thread_pointer();

	if (find_mapping(top, ret_low, ret_high) && addr >= *ret_low &&
	    addr < top) {
		*ret_high = top;
		return true;
	}
	return find_main_stack(ret_low, ret_high) && addr >= *ret_low &&
	       addr < *ret_high;
}

bool syc_stack_bounds_around(uintptr_t addr, uintptr_t *ret_low,
                             uintptr_t *ret_high)
{
	const int saved = errno;
	const bool found = !syc_seccomp_has_filter() &&
	                   find_stack(addr, ret_low, ret_high);

	if (!found)
		*ret_low = *ret_high = 0;
	errno = saved;
	return found;
}
