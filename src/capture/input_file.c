/* SPDX-License-Identifier: BSD-2-Clause */
/* input_file.c - regular files that are opened and mapped for reading. */
#define _GNU_SOURCE
#include "capture/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/error.h"

static struct syc_mapping *first;
static volatile bool any_lost;

static void enter(struct syc_mapping *mapping)
{
	mapping->next = first;
	first = mapping;
}

static void leave(const struct syc_mapping *mapping)
{
	struct syc_mapping **at = &first;

	while (*at != NULL && *at != mapping)
		at = &(*at)->next;
	if (*at != NULL)
		*at = mapping->next;
}

int syc_mapping_make(struct syc_mapping *mapping, int fd, size_t size,
                     int flags)
{
	void *const data = mmap(NULL, size, PROT_READ, flags, fd, 0);

	if (data == MAP_FAILED)
		return -errno;
	*mapping = (struct syc_mapping){ .data = data,
		                         .size = size,
		                         .lost_at = UINT64_MAX };
	enter(mapping);
	return 0;
}

void syc_mapping_end(struct syc_mapping *mapping)
{
	if (mapping->data == NULL)
		return;
	leave(mapping);
	munmap((void *)mapping->data, mapping->size);
	mapping->data = NULL;
}

void syc_mapping_move(struct syc_mapping *to, struct syc_mapping *from)
{
	syc_mapping_end(to);
	leave(from);
	*to = *from;
	from->data = NULL;
	if (to->data != NULL)
		enter(to);
}

static struct syc_mapping *find(uintptr_t address)
{
	struct syc_mapping *m = first;

	while (m != NULL && (address < (uintptr_t)m->data ||
	                     address - (uintptr_t)m->data >= m->size))
		m = m->next;
	return m;
}

bool syc_mapping_mend(const void *address)
{
	struct syc_mapping *const m = find((uintptr_t)address);
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	if (m == NULL)
		return false;
	const uint64_t at = ((uintptr_t)address & -page) - (uintptr_t)m->data;
	if (mmap((void *)(m->data + at), m->size - at, PROT_READ,
	         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return false;
	if (at < m->lost_at)
		m->lost_at = at;
	any_lost = true;
	return true;
}

bool syc_mapping_any_lost(void)
{
	return any_lost;
}

static int check(const struct stat *st, struct syscap_error *error)
{
	if (S_ISREG(st->st_mode))
		return 0;
	if (S_ISDIR(st->st_mode) || S_ISLNK(st->st_mode)) {
		const int code = S_ISDIR(st->st_mode) ? EISDIR : ELOOP;

		return syc_error_set(error, code, 0, "%s", strerror(code));
	}
	return syc_error_set(error, EINVAL, 0, "Not a regular file");
}

int syc_plain_file_open(const char *path, int flags, struct syscap_error *error)
{
	struct stat st;
	int fd, r;

	if (((flags & O_NOFOLLOW) != 0 ? lstat(path, &st) : stat(path, &st)) !=
	    0)
		return syc_error_set(error, errno, 0, "%s", strerror(errno));
	r = check(&st, error);
	if (r < 0)
		return r;
	/*
	 * Another kind of file may have replaced it, so opening must not block.
	 */
	fd = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return syc_error_set(error, errno, 0, "%s", strerror(errno));
	r = fstat(fd, &st) == 0
	            ? check(&st, error)
	            : syc_error_set(error, errno, 0, "%s", strerror(errno));
	if (r == 0)
		return fd;
	close(fd);
	return r;
}
