/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack_bounds.c - where the calling thread's own stack lies.
 *
 * The kernel says which mapping holds an address that is on it for certain:
 * the thread control block, which glibc and musl put at the top of the stack
 * of every thread that they start; and for the process' first thread the 16
 * random bytes above its frames (AT_RANDOM).  Below a thread's stack lies
 * its guard, so the mapping begins where the stack does, unless the program
 * gave the thread a part of a larger block.
 *
 * Ids do not tell which thread is the first: in a forked child it is the one
 * that forked.
 */
#define _GNU_SOURCE
#include "os/stack_bounds.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/text.h"
#include "os/thread_pointer.h"

/* Linux 6.11's PROCMAP_QUERY; older kernel headers lack it. */
struct map_query {
	uint64_t size, flags, addr;
	uint64_t start, end, vma_flags, page_size, offset, inode;
	uint32_t dev_major, dev_minor, name_size, build_id_size;
	uint64_t name, build_id;
};
#define MAP_QUERY _IOWR('f', 17, struct map_query)

/* A growing stack may be this much larger than it is now; the kernel keeps
 * at least 128 MiB clear for it. */
#define MAIN_STACK_MAX ((rlim_t)64 << 20)

/* Lines are "start-end perms …"; only their beginnings matter. */
static bool find_by_text(int fd, uintptr_t addr, uintptr_t *ret_low,
                         uintptr_t *ret_high)
{
	char buffer[4096];
	size_t kept = 0;

	for (;;) {
		const ssize_t n =
			read(fd, buffer + kept, sizeof(buffer) - 1 - kept);
		if (n <= 0)
			return false;
		char *line = buffer;
		char *const end = buffer + kept + n;
		char *newline;

		*end = '\0';
		while ((newline = memchr(line, '\n', (size_t)(end - line)))) {
			uint64_t low, high;
			const char *at = syc_text_take(line, 16, &low);

			if (*at == '-')
				syc_text_take(at + 1, 16, &high);
			else
				return false;
			if (addr >= low && addr < high) {
				*ret_low = low;
				*ret_high = high;
				return true;
			}
			line = newline + 1;
		}
		kept = (size_t)(end - line);
		if (kept >= sizeof(buffer) - 1)
			return false;
		memmove(buffer, line, kept);
	}
}

static bool find_mapping(uintptr_t addr, uintptr_t *ret_low,
                         uintptr_t *ret_high)
{
	const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
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
	close(fd);
	return found;
}

/* The first thread's stack grows: its mapping is only what it is now. */
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

static bool find_stack(uintptr_t *ret_low, uintptr_t *ret_high)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	const uintptr_t top = syc_thread_pointer();

	/* The first thread has its control block elsewhere */
	if (find_mapping(top, ret_low, ret_high) && here >= *ret_low &&
	    here < top) {
		*ret_high = top;
		return true;
	}
	return find_main_stack(ret_low, ret_high);
}

bool syc_stack_bounds(uintptr_t *ret_low, uintptr_t *ret_high)
{
	const int saved = errno;
	const bool found = find_stack(ret_low, ret_high);

	if (!found)
		*ret_low = *ret_high = 0;
	errno = saved;
	return found;
}
